#include "text/characters.hpp"

#include "tandem/sentence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

namespace tandem::text {
namespace {

constexpr char32_t last_of_all = 0x10FFFF;

std::string name_of(char32_t c) {
    char name[128] = "";
    UErrorCode error = U_ZERO_ERROR;
    u_charName(static_cast<UChar32>(c), U_UNICODE_CHAR_NAME, name, sizeof name, &error);
    return name;
}

template <class Use>
void for_each_character_with(UProperty property, Use use) {
    for (char32_t c = 1; c <= last_of_all; ++c)
        if (u_hasBinaryProperty(static_cast<UChar32>(c), property)) use(c);
}

/// Scripts that Unicode (UAX 31) calls excluded, as no one writes them now, or of limited use.
bool is_of_rare_script(char32_t c) {
    UErrorCode error = U_ZERO_ERROR;
    const auto script = uscript_getScript(static_cast<UChar32>(c), &error);
    const auto usage = uscript_getUsage(script);
    return usage == USCRIPT_USAGE_EXCLUDED || usage == USCRIPT_USAGE_LIMITED_USE;
}

struct range {
    char32_t first;
    char32_t last;
};

template <std::size_t count>
bool is_in(const range (&ranges)[count], char32_t c) {
    return std::ranges::any_of(ranges, [c](range r) { return r.first <= c && c <= r.last; });
}

// Terminal in Unicode's list, but not in replies.
constexpr range ambiguous_marks[] = {
    {0x061D, 0x061E},  // ends a whole Arabic text; three dots of a triangle, an ornament
    {0x1735,
     0x1736},  // Philippine marks for commas and stops both, in scripts not written any more
    {0x17D4, 0x17D5},  // Khmer, terminal from Unicode 15.1 on
    {0x2024, 0x2024},  // one dot leader, a part of tables of contents
    {0x2E3C, 0x2E3C},  // stenographic
    {0x2E53, 0x2E54},  // medieval
};

bool ends_a_sentence(char32_t mark) {
    std::string text = "ab";
    append_utf8(text, mark);
    return split_sentences(text + " Cd ef").size() == 2;
}

TEST(terminal_marks, of_unicode_end_sentences_unless_they_are_left_out_on_purpose) {
    for_each_character_with(UCHAR_S_TERM, [](char32_t c) {
        EXPECT_TRUE(ends_a_sentence(c) || is_of_rare_script(c) || is_in(ambiguous_marks, c))
            << name_of(c);
    });
}

TEST(terminal_marks, are_found_in_the_scripts_of_today) {
    for (const char32_t c :
         U".!?。．！？｡؟۔։।॥။።፧᠃"
         U"‼⁇⁈⁉")
        EXPECT_TRUE(c == 0 || ends_a_sentence(c)) << name_of(c);
}

// Signs that stand for words, or have a plain form in texts: they are no pictures of their own.
constexpr range signs[] = {
    {0x00A9, 0x00A9},   {0x00AE, 0x00AE}, {0x2122, 0x2122}, {0x2139, 0x2139},  // © ® ™ ℹ
    {0x203C, 0x203C},   {0x2049, 0x2049},                                      // ‼ ⁉, which end
    {0x2194, 0x2199},   {0x21A9, 0x21AA}, {0x2934, 0x2935},                    // arrows
    {0x2328, 0x2328},   {0x2388, 0x2388}, {0x23CF, 0x23CF}, {0x24C2, 0x24C2},  // keys, Ⓜ
    {0x25AA, 0x25AB},   {0x25B6, 0x25B6}, {0x25C0, 0x25C0}, {0x25FB, 0x25FE},  // bullets
    {0x3030, 0x3030},   {0x303D, 0x303D}, {0x3297, 0x3297}, {0x3299, 0x3299},  // 〰 〽 ㊗ ㊙
    {0x1FC00, 0x1FFFD},                                                        // not assigned yet
};

TEST(emoji, are_unicodes_pictographs_but_signs) {
    for_each_character_with(UCHAR_EXTENDED_PICTOGRAPHIC, [](char32_t c) {
        EXPECT_NE(is_emoji(c), is_in(signs, c)) << std::hex << static_cast<std::uint32_t>(c);
    });
}

TEST(emoji, have_their_skin_tones_flags_and_joiners) {
    for_each_character_with(UCHAR_EMOJI_COMPONENT,
                            [](char32_t c) { EXPECT_TRUE(is_emoji(c) || c < 0x80) << name_of(c); });
}

constexpr range squared_letters[] = {{0x1F130, 0x1F189}};

TEST(emoji, are_no_letters_and_no_white_space) {
    for_each_character_with(UCHAR_ALPHABETIC, [](char32_t c) {
        EXPECT_TRUE(!is_emoji(c) || is_in(squared_letters, c)) << name_of(c);
    });
    for_each_character_with(UCHAR_WHITE_SPACE, [](char32_t c) { EXPECT_FALSE(is_emoji(c)); });
}

}  // namespace
}  // namespace tandem::text
