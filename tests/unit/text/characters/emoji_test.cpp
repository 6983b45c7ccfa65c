#include "text/characters/emoji.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tandem::text {
namespace {

struct row {
    std::string_view text;
    std::size_t bytes;
};

class first_emoji_of : public testing::TestWithParam<row> {};

TEST_P(first_emoji_of, a_text_has_so_many_bytes) {
    EXPECT_EQ(first_emoji(GetParam().text), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    table, first_emoji_of,
    testing::Values(row{"", 0}, row{"a", 0}, row{"1", 0}, row{"\xF0\x9F\x98\x80", 4},
                    row{"\xF0\x9F\x98\x80 a", 4}, row{"a\xF0\x9F\x98\x80", 0},
                    row{"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", 8},              // skin colour
                    row{"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB", 7},  // joined
                    row{"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", 4},              // half a flag
                    row{"\xE2\x9D\xA4\xEF\xB8\x8F", 6}, row{"\xE2\x9D\xA4", 3}, row{"\xC2\xA9", 0},
                    row{"\xC2\xA9\xEF\xB8\x8F", 5}, row{"\xE2\x99\xAF", 0}, row{"\xE2\x82\xAC", 0},
                    row{"\xE2\x86\x92", 0}, row{"\xE4\xB8\xAD", 0}, row{"\xF0\x9F", 0}));

}  // namespace
}  // namespace tandem::text
