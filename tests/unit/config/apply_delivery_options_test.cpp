#include "config/apply_delivery_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using namespace tandem;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

TEST(delivery_of_a_reply, replaces_the_settings_that_it_names_alone) {
    config c;
    c.chunking.language = "en";
    c.chunking.chunk_max_tokens = 50;
    const auto own = apply_delivery_options(c, {.pacing = pacing::ahead,
                                                .language = "de",
                                                .speech = speech_form::exact,
                                                .speech_replace = {{{"kWh", "kilowatt hours"}}},
                                                .speech_marks = mark_speech::keep,
                                                .speech_mark_tags = {{"laughs"}},
                                                .peek_hold = 10ms,
                                                .chunk_deadline = 1s,
                                                .reasoning_limit = 2s,
                                                .reasoning_limit_tokens = 90});
    EXPECT_EQ(own.pacing.mode, pacing::ahead);
    EXPECT_EQ(own.chunking.language, "de");
    EXPECT_EQ(own.speech.form, speech_form::exact);
    EXPECT_EQ(own.speech.replace, (speech_replacements{{"kWh", "kilowatt hours"}}));
    EXPECT_EQ(own.speech.marks, mark_speech::keep);
    EXPECT_EQ(own.speech.mark_tags, std::vector<std::string>{"laughs"});
    EXPECT_EQ(own.chunking.peek_hold, 10ms);
    EXPECT_EQ(own.chunking.chunk_deadline, 1s);
    EXPECT_EQ(own.speech.reasoning_limit, 2s);
    EXPECT_EQ(own.speech.reasoning_limit_tokens, 90);
    EXPECT_EQ(own.chunking.chunk_max_tokens, 50);
}

TEST(delivery_of_a_reply, may_set_one_limit_of_the_first_chunk_beyond_the_other) {
    config c;
    c.chunking.first_chunk_min_tokens = 10;
    c.chunking.first_chunk_max_tokens = 24;
    EXPECT_EQ(
        apply_delivery_options(c, {.first_chunk_max_tokens = 5}).chunking.first_chunk_min_tokens,
        5);
    EXPECT_EQ(
        apply_delivery_options(c, {.first_chunk_min_tokens = 30}).chunking.first_chunk_max_tokens,
        30);
}

TEST(delivery_of_a_reply, is_checked_with_the_other_options) {
    EXPECT_THAT(check(generation_options{.delivery = {.chunk_max_tokens = -1}}),
                ElementsAre(Field(&config_fault::field, "chunk_max_tokens")));
    EXPECT_THAT(check(generation_options{
                    .delivery = {.first_chunk_min_tokens = 9, .first_chunk_max_tokens = 8}}),
                ElementsAre(Field(&config_fault::field, "first_chunk_min_tokens")));
    for (const auto* tag : {"", "de", "de-AT", "zh_Hant_TW", "yue", "sw"})
        EXPECT_THAT(check(generation_options{.delivery = {.language = tag}}), IsEmpty()) << tag;
    for (const auto* tag : {"german", "d", "de AT", "de-\n", "42", "-de"})
        EXPECT_THAT(check(generation_options{.delivery = {.language = tag}}),
                    ElementsAre(Field(&config_fault::field, "language")))
            << tag;
}

}  // namespace
