// The time that a voice needs to speak text, as learned from the continues.

#include "reply/machine/voice_pace.hpp"

#include "tandem/duration.hpp"

#include <gtest/gtest.h>

#include <cstddef>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::to_ms;
using tandem::detail::voice_pace;

/// The pace that is learned from `chunks` chunks, each spoken with these times.
voice_pace learned(duration start_up, duration per_character, int chunks) {
    voice_pace pace;
    for (int n = 0; n < chunks; ++n) {
        const int characters = 30 + 47 * n % 90;
        pace.learn(static_cast<std::size_t>(characters), start_up + characters * per_character);
    }
    return pace;
}

TEST(voice_pace, is_170_words_a_minute_before_anything_was_spoken) {
    EXPECT_NEAR(to_ms(voice_pace().estimate(90)), 6000, 1);
}

TEST(voice_pace, learns_the_pace_and_the_start_up_time) {
    const auto pace = learned(300ms, 50ms, 30);
    EXPECT_NEAR(to_ms(pace.estimate(20)), 1300, 30);
    EXPECT_NEAR(to_ms(pace.estimate(200)), 10'300, 100);
}

TEST(voice_pace, is_near_after_a_few_chunks) {
    EXPECT_NEAR(to_ms(learned(0ms, 90ms, 6).estimate(100)), 9000, 800);
}

TEST(voice_pace, follows_a_voice_whose_chunks_have_one_length) {
    voice_pace pace;
    for (int n = 0; n < 60; ++n) pace.learn(60, 3s);
    EXPECT_NEAR(to_ms(pace.estimate(60)), 3000, 30);
    EXPECT_GT(pace.estimate(120), pace.estimate(60));
}

TEST(voice_pace, learns_that_a_consumer_without_a_voice_takes_no_time) {
    EXPECT_LT(learned(0ms, 0ms, 40).estimate(100), 50ms);
}

TEST(voice_pace, takes_a_long_pause_for_little_more_than_a_slow_chunk) {
    voice_pace pace;
    pace.learn(60, 10min);
    EXPECT_LT(pace.estimate(60), 15s);
}

TEST(voice_pace, is_not_changed_by_a_chunk_without_text) {
    voice_pace pace;
    pace.learn(0, 10s);
    EXPECT_EQ(pace.estimate(50), voice_pace().estimate(50));
}

}  // namespace
