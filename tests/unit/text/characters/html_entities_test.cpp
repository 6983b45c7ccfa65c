#include "text/characters/html_entities.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tandem::text {
namespace {

struct row {
    std::string_view text;
    std::size_t bytes;
    std::string_view meaning;
};

class first_entity_of : public testing::TestWithParam<row> {};

TEST_P(first_entity_of, a_text_is_decoded) {
    const auto e = first_entity(GetParam().text);
    EXPECT_EQ(e.bytes, GetParam().bytes);
    EXPECT_EQ(e.text, GetParam().meaning);
}

INSTANTIATE_TEST_SUITE_P(
    table, first_entity_of,
    testing::Values(row{"", 0, ""}, row{"&", 0, ""}, row{"&;", 0, ""}, row{"&amp", 0, ""},
                    row{"&amp; b", 5, "&"}, row{"&AMP;", 0, ""}, row{"amp;", 0, ""},
                    row{"&nbsp;", 6, " "}, row{"&#160;", 6, " "}, row{"&#10;", 5, " "},
                    row{"&eacute;", 8, "\xC3\xA9"}, row{"&#x20AC;", 8, "\xE2\x82\xAC"},
                    row{"&#X1F600;", 9, "\xF0\x9F\x98\x80"}, row{"&#0;", 0, ""}, row{"&#7;", 0, ""},
                    row{"&#xDFFF;", 0, ""}, row{"&#x110000;", 0, ""}, row{"&#99999999999;", 0, ""},
                    row{"&#12a;", 0, ""}, row{"&#;", 0, ""}, row{"&#x;", 0, ""}));

}  // namespace
}  // namespace tandem::text
