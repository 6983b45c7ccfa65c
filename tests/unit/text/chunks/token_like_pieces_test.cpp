#include "text/chunks/token_like_pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::text::token_like_pieces;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(token_like_pieces, are_words_and_marks_with_the_white_space_before_them) {
    EXPECT_THAT(token_like_pieces("So it  is.\n(Yes 3.5 "),
                ElementsAre("So", " it", "  is", ".", "\n(", "Yes", " 3", ".", "5", " "));
}

TEST(token_like_pieces, of_long_words_are_parts_of_eight_characters) {
    EXPECT_THAT(token_like_pieces("abcdefghij k"), ElementsAre("abcdefgh", "ij", " k"));
    EXPECT_THAT(token_like_pieces("日本語日本語日本語日"), ElementsAre("日本語日本語日本", "語日"));
}

TEST(token_like_pieces, of_nothing_are_none) {
    EXPECT_THAT(token_like_pieces(""), IsEmpty());
}

}  // namespace
