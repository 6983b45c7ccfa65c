#include "text/characters/characters.hpp"

#include "text/characters/utf8.hpp"

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

/// Scripts that Unicode (UAX 31) classifies as excluded from use or of limited use.
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

// Marks that are terminal in Unicode's list, but not in replies.
constexpr range ambiguous_marks[] = {
    {0x061D, 0x061E},  // Arabic: end of a whole text; three dots in a triangle, an ornament
    {0x1735,
     0x1736},  // Philippine marks for both commas and full stops, in scripts that are out of use
    {0x17D4, 0x17D5},  // Khmer, terminal since Unicode 15.1
    {0x2024, 0x2024},  // one dot leader, used in tables of contents
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

}  // namespace
}  // namespace tandem::text
