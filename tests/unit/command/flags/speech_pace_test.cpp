#include "flags/speech_pace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::command::count_words;
using tandem::command::describe_too_slow_speech;
using tandem::command::parse_speech_pace;
using tandem::command::speaking_time;

TEST(speech_pace, is_no_time_at_all_for_none) {
    const auto pace = parse_speech_pace("none");
    ASSERT_TRUE(pace);
    EXPECT_EQ(speaking_time(*pace, "three short words"), 0s);
}

TEST(speech_pace, gives_a_text_its_words_by_the_minute) {
    const auto pace = parse_speech_pace("wpm=180");
    ASSERT_TRUE(pace);
    EXPECT_EQ(speaking_time(*pace, "three short words"), 1s);
}

TEST(speech_pace, may_be_a_fraction) {
    const auto pace = parse_speech_pace("wpm=0.5");
    ASSERT_TRUE(pace);
    EXPECT_EQ(speaking_time(*pace, "word"), 2min);
}

class speech_pace_refuses : public testing::TestWithParam<const char*> {};

TEST_P(speech_pace_refuses, another_text) {
    EXPECT_FALSE(parse_speech_pace(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(table, speech_pace_refuses,
                         testing::Values("", "wpm", "wpm=", "wpm=0", "wpm=-1", "wpm=100001",
                                         "wpm=nan", "wpm=inf", "wpm=150x", "wpm= 150", "150"));

struct counted {
    const char* text;
    double words;
};

class counted_words : public testing::TestWithParam<counted> {};

TEST_P(counted_words, are_counted) {
    EXPECT_DOUBLE_EQ(count_words(GetParam().text), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(table, counted_words,
                         testing::Values(counted{"", 0}, counted{" \n\t", 0}, counted{"one", 1},
                                         counted{"  It's 7 p.m.\nnow ", 4},
                                         counted{"Über die Brücke", 3},
                                         counted{"안녕하세요 여러분", 2}, counted{"नमस्ते दुनिया", 2},
                                         counted{"明日は晴れ", 2.5}, counted{"สวัสดี", 3},
                                         counted{"GPU は速い", 2.5}, counted{"\xFF\xFE", 1}));

TEST(speaking_time, is_bounded_for_the_slowest_voice) {
    EXPECT_EQ(speaking_time({1e-300}, "word"), 1000h);
}

TEST(describe_too_slow_speech, reports_what_is_too_slow_and_what_to_set) {
    EXPECT_EQ(
        describe_too_slow_speech({8}, 82500ms, 30s),
        "at --tts wpm=8 this chunk is spoken for 83s, longer than --continue-timeout 30s; set "
        "--continue-timeout 2m or more, or a faster --tts");
}

TEST(describe_too_slow_speech, asks_for_a_faster_voice_if_no_limit_is_long_enough) {
    EXPECT_EQ(describe_too_slow_speech({0.001}, 30h, 30s),
              "at --tts wpm=0.001 this chunk is spoken for 108000s, longer than --continue-timeout "
              "30s; set a faster --tts");
}

}  // namespace
