#include "text/characters/html_entities.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace tandem::text {
namespace {

struct entity_row {
    std::string_view text;
    std::size_t bytes;
    std::string_view meaning;
};

class first_entity_of : public testing::TestWithParam<entity_row> {};

TEST_P(first_entity_of, a_text_is_decoded) {
    const auto e = parse_leading_entity(GetParam().text);
    EXPECT_EQ(e.bytes, GetParam().bytes);
    EXPECT_EQ(e.text, GetParam().meaning);
}

INSTANTIATE_TEST_SUITE_P(
    table, first_entity_of,
    testing::Values(
        entity_row{"", 0, ""}, entity_row{"&", 0, ""}, entity_row{"&;", 0, ""},
        entity_row{"&amp", 0, ""}, entity_row{"&amp; b", 5, "&"}, entity_row{"&AMP;", 0, ""},
        entity_row{"amp;", 0, ""}, entity_row{"&nbsp;", 6, " "}, entity_row{"&#160;", 6, " "},
        entity_row{"&#10;", 5, " "}, entity_row{"&eacute;", 8, "\xC3\xA9"},
        entity_row{"&#x20AC;", 8, "\xE2\x82\xAC"}, entity_row{"&#X1F600;", 9, "\xF0\x9F\x98\x80"},
        entity_row{"&#0;", 0, ""}, entity_row{"&#7;", 0, ""}, entity_row{"&#xDFFF;", 0, ""},
        entity_row{"&#x110000;", 0, ""}, entity_row{"&#99999999999;", 0, ""},
        entity_row{"&#12a;", 0, ""}, entity_row{"&#;", 0, ""}, entity_row{"&#x;", 0, ""}));

}  // namespace
}  // namespace tandem::text
