#include "text/characters/utf8.hpp"

#include "tandem/utf8.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::text {
namespace {

constexpr auto npos = std::string_view::npos;

struct validity_case {
    const char* name;
    std::string_view text;
    std::size_t invalid;
};

TEST(Utf8, FindsTheFirstByteThatIsNoPartOfACharacter) {
    const validity_case cases[] = {
        {"empty", "", npos},
        {"ASCII", "plain words, longer than one step of eight", npos},
        {"two bytes", "caf\xC3\xA9", npos},
        {"three bytes", "\xE2\x82\xAC", npos},
        {"four bytes", "\xF0\x9F\x98\x80", npos},
        {"largest", "\xF4\x8F\xBF\xBF", npos},
        {"before surrogates", "\xED\x9F\xBF", npos},
        {"after surrogates", "\xEE\x80\x80", npos},
        {"lone continuation", "ab\x80", 2},
        {"overlong of two", "a\xC0\x80", 1},
        {"overlong of two, C1", "\xC1\xBF", 0},
        {"overlong of three", "\xE0\x9F\xBF", 0},
        {"overlong of four", "\xF0\x8F\xBF\xBF", 0},
        {"surrogate", "x\xED\xA0\x80", 1},
        {"too large", "\xF4\x90\x80\x80", 0},
        {"lead F5", "\xF5\x80\x80\x80", 0},
        {"byte FF", "12345678\xFF", 8},
        {"cut off after one", "abc\xE2", 3},
        {"cut off after two", "abc\xE2\x82", 3},
        {"cut off after three", "abc\xF0\x9F\x98", 3},
        {"broken inside", "\xE2\x82z", 0},
    };
    for (const auto& c : cases) EXPECT_EQ(find_invalid_utf8(c.text), c.invalid) << c.name;
}

TEST(Utf8, MeasuresTheHalfCharacterAtTheEnd) {
    EXPECT_EQ(incomplete_suffix(""), 0u);
    EXPECT_EQ(incomplete_suffix("abc"), 0u);
    EXPECT_EQ(incomplete_suffix("\xC3\xA9"), 0u);
    EXPECT_EQ(incomplete_suffix("a\xC3"), 1u);
    EXPECT_EQ(incomplete_suffix("a\xE2\x82"), 2u);
    EXPECT_EQ(incomplete_suffix("a\xF0\x9F\x98"), 3u);
}

TEST(Utf8, CallsBytesThatCannotBecomeACharacterNoHalfCharacter) {
    EXPECT_EQ(incomplete_suffix("a\x80\x80"), 0u);
    EXPECT_EQ(incomplete_suffix("\xE0\x80"), 0u);
    EXPECT_EQ(incomplete_suffix("\xC0"), 0u);
    EXPECT_EQ(incomplete_suffix("\xF4\x90"), 0u);
}

TEST(Utf8, FloorsAnOffsetToTheStartOfItsCharacter) {
    const std::string_view text = "a\xE2\x82\xAC\xC3\xA9";
    const std::size_t floors[] = {0, 1, 1, 1, 4, 4, 6, 6};
    for (std::size_t i = 0; i < std::size(floors); ++i)
        EXPECT_EQ(floor_to_character(text, i), floors[i]) << i;
}

TEST(Utf8, ReadsCharactersFromEitherEnd) {
    const std::string_view text = "\xE2\x82\xAC\xF0\x9F\x98\x80";
    EXPECT_EQ(decode_first_character(text).character, U'\u20AC');
    EXPECT_EQ(decode_first_character(text).bytes, 3u);
    EXPECT_EQ(decode_last_character(text).character, U'\U0001F600');
    EXPECT_EQ(decode_last_character(text).bytes, 4u);
    EXPECT_EQ(decode_last_character("a\xC3\xA9").character, U'\u00E9');
}

TEST(Utf8, TellsAReplacementCharacterFromABadByte) {
    EXPECT_EQ(decode_last_character(replacement_character).bytes, 3u);
    EXPECT_EQ(decode_last_character("a\x80").bytes, 1u);
    EXPECT_EQ(decode_last_character("a\x80").character, U'\uFFFD');
    EXPECT_EQ(decode_first_character("\xE2\x82z").bytes, 2u);
}

TEST(Utf8, GivesNoCharacterOfAnEmptyText) {
    EXPECT_EQ(decode_first_character("").bytes, 0u);
    EXPECT_EQ(decode_last_character("").bytes, 0u);
}

struct sanitizing_case {
    const char* name;
    std::string_view bytes;
    std::string_view text;
};

const sanitizing_case sanitizing_cases[] = {
    {"valid text", "gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x98\x80",
     "gr\xC3\xBC\xC3\x9F dich \xF0\x9F\x98\x80"},
    {"bad byte",
     "a\xFF"
     "b",
     "a\xEF\xBF\xBD"
     "b"},
    {"one for a longest start", "a\xE2\x82z", "a\xEF\xBF\xBDz"},
    {"one for each byte of an overlong", "\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"three for a surrogate", "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    {"start broken by a start", "\xF0\x9F\xF0\x9F\x98\x80", "\xEF\xBF\xBD\xF0\x9F\x98\x80"},
    {"half character at the end", "ok \xF0\x9F\x98", "ok \xEF\xBF\xBD"},
    {"table 3-8 of the standard",
     "a\xF1\x80\x80\xE1\x80\xC2"
     "b\x80"
     "c\x80\xBF"
     "d",
     "a\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"
     "b\xEF\xBF\xBD"
     "c\xEF\xBF\xBD\xEF\xBF\xBD"
     "d"},
};

TEST(Utf8Sanitizer, ReplacesWhatCanNeverBecomeACharacter) {
    for (const auto& c : sanitizing_cases) EXPECT_EQ(sanitized_utf8(c.bytes), c.text) << c.name;
}

TEST(Utf8Sanitizer, GivesTheSameForEverySplit) {
    for (const auto& c : sanitizing_cases) {
        for (std::size_t i = 0; i <= c.bytes.size(); ++i) {
            for (std::size_t k = i; k <= c.bytes.size(); ++k) {
                utf8_sanitizer sanitizer;
                std::string out;
                sanitizer.append(c.bytes.substr(0, i), out);
                sanitizer.append(c.bytes.substr(i, k - i), out);
                sanitizer.append(c.bytes.substr(k), out);
                sanitizer.flush(out);
                EXPECT_EQ(out, c.text) << c.name << " split at " << i << " and " << k;
            }
        }
    }
}

TEST(Utf8Sanitizer, KeepsHalfACharacterUntilItIsCompleted) {
    utf8_sanitizer sanitizer;
    std::string out;
    sanitizer.append("a\xE2\x82", out);
    EXPECT_EQ(out, "a");
    EXPECT_TRUE(sanitizer.has_partial());
    sanitizer.append("\xAC", out);
    EXPECT_EQ(out, "a\xE2\x82\xAC");
    EXPECT_FALSE(sanitizer.has_partial());
}

TEST(Utf8Sanitizer, StartsAnewAfterAFlush) {
    utf8_sanitizer sanitizer;
    std::string out;
    sanitizer.append("\xE2", out);
    sanitizer.flush(out);
    sanitizer.append("a", out);
    EXPECT_EQ(out,
              "\xEF\xBF\xBD"
              "a");
}

}  // namespace
}  // namespace tandem::text
