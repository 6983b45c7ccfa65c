#include "text/word_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(word_list, has_a_word_or_phrase_a_line) {
    const auto list = parse_word_list("secret\n\n  secret sauce \r\n\t\nlast");
    EXPECT_THAT(list.words, ElementsAre("secret", "secret sauce", "last"));
    EXPECT_THAT(list.lines, ElementsAre(1u, 3u, 5u));
}

TEST(word_list, takes_no_white_space_of_any_script_for_a_word) {
    EXPECT_THAT(parse_word_list("\u00A0secret\u3000\n\u2003\n").words, ElementsAre("secret"));
}

TEST(word_list, may_be_empty) {
    EXPECT_THAT(parse_word_list("").words, IsEmpty());
    EXPECT_THAT(parse_word_list("\n \n").words, IsEmpty());
}

}  // namespace
