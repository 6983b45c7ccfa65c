#include "text/characters/emoji.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tandem::text {
namespace {

struct emoji_row {
    std::string_view text;
    std::size_t bytes;
};

class first_emoji_of : public testing::TestWithParam<emoji_row> {};

TEST_P(first_emoji_of, a_text_has_so_many_bytes) {
    EXPECT_EQ(measure_leading_emoji(GetParam().text), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(
    table, first_emoji_of,
    testing::Values(emoji_row{"", 0}, emoji_row{"a", 0}, emoji_row{"1", 0},
                    emoji_row{"\xF0\x9F\x98\x80", 4}, emoji_row{"\xF0\x9F\x98\x80 a", 4},
                    emoji_row{"a\xF0\x9F\x98\x80", 0},
                    emoji_row{"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", 8},              // skin colour
                    emoji_row{"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB", 7},  // joined
                    emoji_row{"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", 4},              // half a flag
                    emoji_row{"\xE2\x9D\xA4\xEF\xB8\x8F", 6}, emoji_row{"\xE2\x9D\xA4", 3},
                    emoji_row{"\xC2\xA9", 0}, emoji_row{"\xC2\xA9\xEF\xB8\x8F", 5},
                    emoji_row{"\xE2\x99\xAF", 0}, emoji_row{"\xE2\x82\xAC", 0},
                    emoji_row{"\xE2\x86\x92", 0}, emoji_row{"\xE4\xB8\xAD", 0},
                    emoji_row{"\xF0\x9F", 0}));

}  // namespace
}  // namespace tandem::text
