#include "text/sentences/worth_speaking.hpp"

#include <gtest/gtest.h>

namespace tandem::text {
namespace {

struct row {
    const char* text;
    const char* speech;
};

class spoken_text : public testing::TestWithParam<row> {};

TEST_P(spoken_text, has_no_mark_that_closes_what_was_said_before) {
    EXPECT_EQ(worth_speaking(GetParam().text), GetParam().speech);
}

INSTANTIATE_TEST_SUITE_P(
    marks, spoken_text,
    testing::Values(row{". Have a great day.", "Have a great day."},
                    row{"! Here you go.", "Here you go."}, row{" ?!  Yes.", "Yes."},
                    row{", and so on", "and so on"}, row{".\" He left.", "He left."},
                    row{".) He left.", "He left."}, row{"” Then he left.", "Then he left."},
                    row{"… and so on", "and so on"}, row{".\n\nNext", "Next"},
                    row{"。我们走吧。", "我们走吧。"}, row{"！」と言った。", "と言った。"}));

INSTANTIATE_TEST_SUITE_P(words, spoken_text,
                         testing::Values(row{".5 percent", ".5 percent"},
                                         row{".NET is fine.", ".NET is fine."},
                                         row{"\"Hello,\" he said.", "\"Hello,\" he said."},
                                         row{"'Tis late.", "'Tis late."},
                                         row{"...and so on", "...and so on"}, row{"(yes)", "(yes)"},
                                         row{"¿Qué?", "¿Qué?"}, row{"“Go!”", "“Go!”"},
                                         row{"「行く」", "「行く」"}, row{". .5 more", ".5 more"},
                                         row{" Hello! ", "Hello!"}));

INSTANTIATE_TEST_SUITE_P(nothing, spoken_text,
                         testing::Values(row{"", ""}, row{" . ", ""}, row{"?!", ""},
                                         row{"。」", ""}));

}  // namespace
}  // namespace tandem::text
