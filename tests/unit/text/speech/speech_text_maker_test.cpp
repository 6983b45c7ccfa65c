#include "text/speech/speech_text_maker.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

namespace tandem::text {
namespace {

using ::testing::ElementsAre;

chunk spoken(std::string_view text, speech_options options, boundary why = boundary::end) {
    chunk c{.text = std::string(text), .boundary = why};
    speech_text_maker(std::move(options)).fill_speech(c);
    return c;
}

speech_options words(speech_replacements replace, speech_form form = speech_form::clean) {
    speech_options o{.form = form};
    o.replace = std::move(replace);
    return o;
}

speech_options marks(mark_speech how, speech_form form = speech_form::clean) {
    speech_options o{.form = form, .marks = how};
    o.mark_tags = {"laughs", "whisper", "emotion", "clears throat", "laughs hard"};
    return o;
}

struct row {
    std::string_view text;
    std::string_view speech;
};

// Replaced words

class replaced_words : public ::testing::TestWithParam<row> {};

TEST_P(replaced_words, are_spoken_as_other_words) {
    const speech_replacements replace{{"Dr.", "Doctor"},     {"kWh", "kilowatt hours"},
                                      {"%", "percent"},      {"New York", "the city"},
                                      {"New", "new"},        {"C++", "C plus plus"},
                                      {"\xC3\xA4", "Umlaut"}};
    EXPECT_EQ(spoken(GetParam().text, words(replace)).speech, GetParam().speech);
    EXPECT_EQ(spoken(GetParam().text, words(replace, speech_form::exact)).speech,
              GetParam().speech);
}

INSTANTIATE_TEST_SUITE_P(
    table, replaced_words,
    ::testing::Values(row{"Dr. No", "Doctor No"}, row{"dr. No", "dr. No"},
                      row{"Call Dr.", "Call Doctor"}, row{"Dr.No", "Doctor No"},
                      row{"5 kWh, not 6", "5 kilowatt hours, not 6"}, row{"5kWh", "5kWh"},
                      row{"kWhs", "kWhs"}, row{"5%", "5 percent"}, row{"5 %.", "5 percent."},
                      row{"%%", "percent percent"}, row{"In New York now", "In the city now"},
                      row{"New Yorkers", "new Yorkers"}, row{"C++, C", "C plus plus, C"},
                      row{"\xC3\xA4 \xC3\xA4h", "Umlaut \xC3\xA4h"}, row{"nothing", "nothing"}));

TEST(replaced_words, are_found_in_what_the_marks_leave) {
    EXPECT_EQ(spoken("**Dr.** *N*o&amp;", words({{"Dr.", "Doctor"}, {"No&", "none"}})).speech,
              "Doctor none");
}

TEST(replaced_words, are_no_part_of_a_word_that_a_limit_cut) {
    speech_text_maker voice(words({{"k", "kilo"}, {"Wh", "watt hours"}}));
    chunk first{.text = "5 k", .boundary = boundary::limit};
    chunk second{.text = "Wh or k", .boundary = boundary::word};
    chunk third{.text = " Wh", .boundary = boundary::end};
    for (auto* c : {&first, &second, &third}) voice.fill_speech(*c);
    EXPECT_EQ(first.speech, "5 k");
    EXPECT_EQ(second.speech, "Wh or kilo");
    EXPECT_EQ(third.speech, "watt hours");
}

TEST(replaced_words, make_a_chunk_longer_only_within_bounds) {
    const std::string text(1024 * 8, '%');
    const auto c = spoken(text, words({{"%", std::string(256, 'x')}}));
    EXPECT_LE(c.speech.size(), text.size() + 66 * 1024);
}

// Marks

struct mark_row {
    std::string_view text;
    std::string_view dropped;
    std::string_view tag;
    std::size_t at = 0;
    std::string_view label = "";
};

class speech_marks : public ::testing::TestWithParam<mark_row> {};

TEST_P(speech_marks, are_dropped_kept_or_reported) {
    const auto& r = GetParam();
    for (const auto form : {speech_form::clean, speech_form::exact}) {
        EXPECT_EQ(spoken(r.text, marks(mark_speech::drop, form)).speech, r.dropped);
        EXPECT_EQ(spoken(r.text, marks(mark_speech::drop, form)).marks.size(), 0u);
        EXPECT_EQ(spoken(r.text, marks(mark_speech::keep, form)).speech, r.text);
        const auto reported = spoken(r.text, marks(mark_speech::report, form));
        EXPECT_EQ(reported.speech, r.dropped);
        EXPECT_THAT(reported.marks,
                    ElementsAre(speech_mark{r.at, std::string(r.tag), std::string(r.label)}));
    }
}

INSTANTIATE_TEST_SUITE_P(
    table, speech_marks,
    ::testing::Values(mark_row{"Well [laughs] no", "Well no", "laughs", 5},
                      mark_row{"Well <laughs> no", "Well no", "laughs", 5},
                      mark_row{"Well <laughs/> no", "Well no", "laughs", 5},
                      mark_row{"Well (laughs) no", "Well no", "laughs", 5},
                      mark_row{"Well *laughs* no", "Well no", "laughs", 5},
                      mark_row{"Well [Laughs], no", "Well, no", "laughs", 4},
                      mark_row{"[laughs] Well", "Well", "laughs", 0},
                      mark_row{"Wäll[laughs]", "Wäll", "laughs", 4},
                      mark_row{"A (clears throat) b", "A b", "clears throat", 2},
                      mark_row{"A [laughs hard] b", "A b", "laughs hard", 2},
                      mark_row{"A [laughs loud] b", "A b", "laughs", 2, "loud"},
                      mark_row{"A [emotion=happy] b", "A b", "emotion", 2, "happy"},
                      mark_row{"A [emotion: happy] b", "A b", "emotion", 2, "happy"},
                      mark_row{"A <emotion value=\"sad\" /> b", "A b", "emotion", 2,
                               "value=\"sad\""},
                      mark_row{"so.</whisper> B", "so. B", "/whisper", 3}));

TEST(speech_marks, are_only_those_of_the_list) {
    for (const std::string text : {"(laughs at it)", "[laugh]", "(laughs", "[laughs\n]", "*laughs",
                                   "laughs", "[ok]", "[]", "("})
        EXPECT_EQ(spoken(text, marks(mark_speech::drop, speech_form::exact)).speech, text);
    EXPECT_EQ(spoken("[laughs](http://a.b) x", marks(mark_speech::drop)).speech, "laughs x");
    EXPECT_EQ(spoken("**laughs** `[laughs]`", marks(mark_speech::drop)).speech, "laughs [laughs]");
}

TEST(speech_marks, alone_leave_nothing_to_speak) {
    const auto c = spoken(" [laughs]", marks(mark_speech::report));
    EXPECT_EQ(c.speech, "");
    EXPECT_THAT(c.marks, ElementsAre(speech_mark{0, "laughs", ""}));
}

TEST(speech_marks, that_are_kept_keep_their_words) {
    auto options = marks(mark_speech::keep);
    options.replace = {{"laughs", "is laughing"}};
    EXPECT_EQ(spoken("He laughs [laughs]", options).speech, "He is laughing [laughs]");
}

TEST(speech_marks, are_placed_in_the_speech_with_its_replaced_words) {
    auto options = marks(mark_speech::report);
    options.replace = {{"Dr.", "Doctor"}};
    EXPECT_THAT(spoken("**Dr.** [laughs] No <whisper>", options).marks,
                ElementsAre(speech_mark{7, "laughs", ""}, speech_mark{9, "whisper", ""}));
}

TEST(exact_speech, is_the_text_if_nothing_is_replaced) {
    for (const std::string text : {" ", "\n", " **a** <b> ", ""}) {
        const auto c = spoken(text, marks(mark_speech::drop, speech_form::exact));
        EXPECT_EQ(c.speech, text);
        EXPECT_THAT(c.speech_runs, ElementsAre());
    }
}

}  // namespace
}  // namespace tandem::text
