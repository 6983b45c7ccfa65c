#include "sound/sound.hpp"

#include "sound/sound_recording.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;

audio_clip with_silence(int before, int loud, int behind) {
    audio_clip s{.rate = 1000};
    const auto add = [&s](int count, std::int16_t level) {
        s.samples.insert(s.samples.end(), static_cast<std::size_t>(count), level);
    };
    add(before, 20);  // as quiet as the noise in a synthesizer's silence
    add(loud, -8000);
    add(behind, -20);
    return s;
}

TEST(sound, is_as_long_as_its_samples) {
    EXPECT_EQ(get_duration({.rate = 22050, .samples = std::vector<std::int16_t>(11025)}), 500ms);
    EXPECT_EQ(duration_to_samples(500ms, 22050), 11025);
    EXPECT_EQ(duration_to_samples(samples_to_duration(12345, 44100), 44100), 12345);
}

TEST(sound, is_trimmed_to_five_milliseconds_before_and_after_the_speech) {
    const auto s = trim_silence(with_silence(300, 40, 200));
    EXPECT_EQ(s.samples.size(), 50u);
    EXPECT_EQ(s.rate, 1000);
    EXPECT_EQ(std::ranges::count(s.samples, -8000), 40);
}

TEST(sound, is_not_trimmed_where_silence_is_short) {
    EXPECT_EQ(trim_silence(with_silence(3, 40, 0)).samples.size(), 43u);
}

TEST(sound, keeps_the_silence_inside) {
    auto s = with_silence(0, 10, 100);
    s.samples.push_back(8000);
    EXPECT_EQ(trim_silence(s).samples.size(), 111u);
}

TEST(sound, is_nothing_if_all_is_silence) {
    EXPECT_TRUE(trim_silence(with_silence(100, 0, 100)).samples.empty());
    EXPECT_TRUE(trim_silence({}).samples.empty());
}

class track : public ::testing::Test {
 protected:
    // A sound of 1 s.
    sound_timeline::piece add(duration from, duration to) {
        return sounds.add(1000, begun + from, begun + to);
    }

    const time_point begun = time_point(77s);
    sound_timeline sounds{begun, 1000};
};

TEST_F(track, has_silence_up_to_the_first_sound) {
    const auto p = add(2s, 3s);
    EXPECT_EQ(p.silence, 2000);
    EXPECT_EQ(p.samples, 1000);
}

TEST_F(track, has_the_silence_between_two_sounds) {
    add(2s, 3s);
    EXPECT_EQ(add(3250ms, 4250ms).silence, 250);
}

TEST_F(track, ends_a_sound_if_it_was_interrupted) {
    EXPECT_EQ(add(0s, 400ms).samples, 400);
    const auto next = add(1s, 2s);
    EXPECT_EQ(next.silence, 600);
    EXPECT_EQ(next.samples, 1000);
}

TEST_F(track, has_no_more_than_the_sound_if_its_player_took_longer) {
    EXPECT_EQ(add(0s, 1100ms).samples, 1000);
    EXPECT_EQ(add(1200ms, 2200ms).silence, 200);
}

TEST_F(track, puts_sounds_that_overlap_one_after_the_other) {
    add(0s, 1s);
    const auto p = add(900ms, 1900ms);
    EXPECT_EQ(p.silence, 0);
    EXPECT_EQ(p.samples, 1000);
}

TEST_F(track, has_nothing_of_a_sound_that_ended_before_it_began) {
    EXPECT_EQ(add(500ms, 400ms).samples, 0);
}

}  // namespace
}  // namespace tandem::command
