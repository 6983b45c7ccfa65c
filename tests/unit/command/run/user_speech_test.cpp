#include "run/user_speech.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;

using reported = user_speech_step::kind;

// Each of these words takes 400 ms.
constexpr auto four_words = "Is there a table";

user_speech plan_turn(const std::string& text, const user_speech_rules& rules, int turn = 0) {
    return plan_user_speech(text, rules, 0, "p1", turn);
}

user_speech_step partial(tandem::duration at, std::string text) {
    return {at, reported::partial, std::move(text)};
}

std::vector<std::string> reported_texts(const user_speech& speech, reported what) {
    std::vector<std::string> texts;
    for (const auto& step : speech.steps)
        if (step.what == what) texts.push_back(step.text);
    return texts;
}

TEST(user_speech, takes_its_time) {
    const auto speech = plan_turn(four_words, {.partials = 10s});
    EXPECT_THAT(speech.steps, IsEmpty());
    EXPECT_EQ(speech.length, 1600ms);
}

TEST(user_speech, is_reported_word_by_word) {
    EXPECT_THAT(
        plan_turn(four_words, {.partials = 250ms}).steps,
        ElementsAre(partial(500ms, "Is"), partial(1s, "Is there"), partial(1250ms, "Is there a")));
}

TEST(user_speech, is_drafted_before_its_end_is_certain) {
    const auto speech = plan_turn("One moment", {.eager = 300ms});
    EXPECT_THAT(speech.steps,
                ElementsAre(user_speech_step{800ms, reported::early_end, "One moment"}));
    EXPECT_EQ(speech.length, 1100ms);
}

TEST(user_speech, has_right_words_after_wrong_ones) {
    const auto speech = plan_turn(four_words, {.partials = 200ms, .revise = 1});
    const auto texts = reported_texts(speech, reported::partial);
    ASSERT_EQ(texts.size(), 6u);
    const std::vector<std::string> right{"Is", "Is there", "Is there a"};
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_NE(texts[2 * i], right[i]);
        EXPECT_EQ(texts[2 * i + 1], right[i]);
    }
}

TEST(user_speech, continues_after_a_pause_that_seemed_to_be_the_end) {
    const auto speech = plan_turn(four_words, {.eager = 300ms, .revise = 1});
    ASSERT_EQ(speech.steps.size(), 3u);
    const auto& [early, on, end] = std::tie(speech.steps[0], speech.steps[1], speech.steps[2]);
    EXPECT_EQ(early.what, reported::early_end);
    EXPECT_NE(early.text, four_words);
    EXPECT_EQ(std::string(four_words).rfind(early.text, 0), 0u);
    EXPECT_EQ(on.what, reported::speaks_on);
    EXPECT_GE(on.at - early.at, 150ms);
    EXPECT_LE(on.at - early.at, 300ms);
    EXPECT_EQ(end.text, four_words);
    EXPECT_EQ(end.at, 1600ms + (on.at - early.at));
    EXPECT_EQ(speech.length, end.at + 300ms);
}

TEST(user_speech, has_no_pause_within_a_word) {
    EXPECT_THAT(
        reported_texts(plan_turn("Hello!", {.eager = 300ms, .revise = 1}), reported::early_end),
        ElementsAre("Hello!"));
}

TEST(user_speech, of_no_words_takes_no_time) {
    const auto speech = plan_turn(" \n", {.partials = 10ms, .eager = 0ms, .revise = 1});
    EXPECT_THAT(speech.steps, IsEmpty());
    EXPECT_EQ(speech.length, 0s);
}

TEST(user_speech, may_have_no_spaces) {
    EXPECT_THAT(reported_texts(plan_turn("明日は", {.partials = 210ms}), reported::partial),
                ElementsAre("明", "明日"));
}

TEST(user_speech, is_the_same_for_the_same_turn) {
    const user_speech_rules rules{.partials = 100ms, .eager = 200ms, .revise = 0.5};
    EXPECT_EQ(plan_turn(four_words, rules).steps, plan_turn(four_words, rules).steps);
}

// With any random numbers, the steps are in order, and wrong words and mistaken ends are as
// frequent as requested.
TEST(user_speech, is_in_order_and_wrong_as_often_as_wanted) {
    const user_speech_rules rules{.partials = 100ms, .eager = 300ms, .revise = 0.3};
    const std::string message = "Has he one table";
    constexpr int turns = 1000;
    int pauses = 0;
    int wrong = 0;
    for (int turn = 0; turn < turns; ++turn) {
        const auto speech = plan_turn(message, rules, turn);
        EXPECT_TRUE(std::ranges::is_sorted(speech.steps, {}, &user_speech_step::at));
        EXPECT_LE(speech.steps.back().at, speech.length);
        EXPECT_EQ(speech.steps.back().text, message);
        pauses += static_cast<int>(reported_texts(speech, reported::speaks_on).size());
        for (const auto& text : reported_texts(speech, reported::partial))
            if (message.rfind(text, 0) != 0) ++wrong;
    }
    EXPECT_NEAR(pauses, 300, 45);
    // The partial transcripts of a turn end with each of its first three words. The word before a
    // pause is always right.
    EXPECT_NEAR(wrong, 0.3 * (3 * turns - pauses), 80);
}

}  // namespace
