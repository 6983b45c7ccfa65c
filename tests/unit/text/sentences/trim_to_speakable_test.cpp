#include "text/sentences/trim_to_speakable.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

struct worth_row {
    const char* text;
    const char* speech;
};

class spoken_text : public ::testing::TestWithParam<worth_row> {};

TEST_P(spoken_text, has_no_mark_that_closes_what_was_said_before) {
    EXPECT_EQ(trim_to_speakable(GetParam().text), GetParam().speech);
}

INSTANTIATE_TEST_SUITE_P(
    marks, spoken_text,
    ::testing::Values(worth_row{". Have a great day.", "Have a great day."},
                      worth_row{"! Here you go.", "Here you go."}, worth_row{" ?!  Yes.", "Yes."},
                      worth_row{", and so on", "and so on"}, worth_row{".\" He left.", "He left."},
                      worth_row{".) He left.", "He left."},
                      worth_row{"” Then he left.", "Then he left."},
                      worth_row{"… and so on", "and so on"}, worth_row{".\n\nNext", "Next"},
                      worth_row{"。我们走吧。", "我们走吧。"},
                      worth_row{"！」と言った。", "と言った。"}));

INSTANTIATE_TEST_SUITE_P(words, spoken_text,
                         ::testing::Values(worth_row{".5 percent", ".5 percent"},
                                           worth_row{".NET is fine.", ".NET is fine."},
                                           worth_row{"\"Hello,\" he said.", "\"Hello,\" he said."},
                                           worth_row{"'Tis late.", "'Tis late."},
                                           worth_row{"...and so on", "...and so on"},
                                           worth_row{"(yes)", "(yes)"}, worth_row{"¿Qué?", "¿Qué?"},
                                           worth_row{"“Go!”", "“Go!”"},
                                           worth_row{"「行く」", "「行く」"},
                                           worth_row{". .5 more", ".5 more"},
                                           worth_row{" Hello! ", "Hello!"}));

INSTANTIATE_TEST_SUITE_P(nothing, spoken_text,
                         ::testing::Values(worth_row{"", ""}, worth_row{" . ", ""},
                                           worth_row{"?!", ""}, worth_row{"。」", ""}));

}  // namespace
}  // namespace tandem::text
