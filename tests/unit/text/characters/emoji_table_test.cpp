#include "text/characters/emoji.hpp"

#include <gtest/gtest.h>

#include <unicode/uchar.h>

// Compares the table with the data of ICU, which only this test uses.
namespace tandem::text {
namespace {

TEST(emoji_table, is_the_property_of_unicode) {
    for (char32_t c = 0; c <= 0x10FFFF && !HasFailure(); ++c)
        EXPECT_EQ(is_pictograph(c),
                  bool(u_hasBinaryProperty(static_cast<UChar32>(c), UCHAR_EXTENDED_PICTOGRAPHIC)))
            << std::hex << static_cast<unsigned>(c);
}

TEST(emoji_table, has_every_character_that_is_shown_as_an_emoji) {
    for (char32_t c = 0; c <= 0x10FFFF && !HasFailure(); ++c) {
        const auto icu = static_cast<UChar32>(c);
        if (!u_hasBinaryProperty(icu, UCHAR_EMOJI_PRESENTATION)) continue;
        const bool is_flag = u_hasBinaryProperty(icu, UCHAR_REGIONAL_INDICATOR);
        EXPECT_TRUE(is_flag || is_emoji_modifier(c) ||
                    (is_pictograph(c) && !is_text_style_pictograph(c)))
            << std::hex << static_cast<unsigned>(c);
    }
}

}  // namespace
}  // namespace tandem::text
