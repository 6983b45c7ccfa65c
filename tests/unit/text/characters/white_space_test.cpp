#include "text/characters/white_space.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

TEST(WhiteSpace, IsWhatPythonStrips) {
    for (const char32_t c :
         U"\t\n\v\f\r\x1C\x1D\x1E\x1F \u0085\u00A0\u1680\u2000\u200A\u2028\u2029"
         U"\u202F\u205F\u3000")
        EXPECT_EQ(is_white_space(c), c != 0) << std::hex << static_cast<unsigned>(c);
}

TEST(WhiteSpace, IsNeitherALetterNorAZeroWidthCharacter) {
    for (const char32_t c : U"a.\"\x1B\x7F\u180E\u200B\u200D\u2060\uFEFF")
        EXPECT_FALSE(is_white_space(c)) << std::hex << static_cast<unsigned>(c);
}

TEST(WhiteSpace, BreaksLinesUnlessItForbidsThat) {
    EXPECT_TRUE(is_breaking_space(' '));
    EXPECT_TRUE(is_breaking_space(U'\u3000'));
    for (const char32_t c : {U'\u00A0', U'\u2007', U'\u202F'}) EXPECT_FALSE(is_breaking_space(c));
}

TEST(WhiteSpace, FillsATextOrDoesNot) {
    EXPECT_TRUE(is_all_white_space(""));
    EXPECT_TRUE(is_all_white_space(" \n\xE3\x80\x80"));
    EXPECT_FALSE(is_all_white_space(" \n."));
    EXPECT_FALSE(is_all_white_space("\xE3\x80"));
}

TEST(WhiteSpace, IsTakenOffTheEndOnly) {
    EXPECT_EQ(trim_trailing_space(" a b \n\xE3\x80\x80"), " a b");
    EXPECT_EQ(trim_trailing_space("ab"), "ab");
    EXPECT_EQ(trim_trailing_space(" \n"), "");
}

TEST(WhiteSpace, IsAddedBetweenTextsThatHaveNone) {
    EXPECT_EQ(join_with_space("Hm,", "yes."), "Hm, yes.");
    EXPECT_EQ(join_with_space("Hm, ", "yes."), "Hm, yes.");
    EXPECT_EQ(join_with_space("Hm,", "\nyes."), "Hm,\nyes.");
    EXPECT_EQ(join_with_space("", "yes."), "yes.");
    EXPECT_EQ(join_with_space("Hm.", ""), "Hm.");
}

}  // namespace
}  // namespace tandem::text
