#include "chat/speech_schedule.hpp"

#include <gtest/gtest.h>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;

const time_point zero = time_point(1000s);

class schedule : public ::testing::Test {
 protected:
    // Plays a sound that lasts from 1 s to 3 s.
    void speak_first(boundary behind) {
        sounds.record_start(zero + 1s, 2s);
        sounds.record_end(zero + 3s, behind);
    }

    speech_schedule sounds{250ms};
};

TEST_F(schedule, begins_with_the_first_sound_at_once) {
    EXPECT_EQ(sounds.next_sound_start(zero), zero);
    EXPECT_FALSE(sounds.first_began());
}

TEST_F(schedule, pauses_after_a_sentence) {
    speak_first(boundary::sentence);
    EXPECT_EQ(sounds.next_sound_start(zero + 3s), zero + 3250ms);
}

TEST_F(schedule, does_not_pause_inside_a_sentence) {
    for (const auto b : {boundary::clause, boundary::word, boundary::limit}) {
        speak_first(b);
        EXPECT_EQ(sounds.next_sound_start(zero + 3s), zero + 3s) << to_string(b);
    }
}

TEST_F(schedule, lets_nobody_wait_for_a_pause_that_is_over) {
    speak_first(boundary::sentence);
    EXPECT_EQ(sounds.next_sound_start(zero + 4s), zero + 4s);
}

TEST_F(schedule, reports_the_silence_since_the_reply_that_called_a_function) {
    speech_schedule after_call{250ms, zero};
    after_call.record_start(zero + 2s, 1s);
    EXPECT_EQ(after_call.silence(), 2s);
    EXPECT_FALSE(after_call.last_end());
}

TEST_F(schedule, reports_the_silence_between_two_sounds) {
    speak_first(boundary::sentence);
    EXPECT_FALSE(sounds.silence());
    sounds.record_start(zero + 3400ms, 1s);
    EXPECT_EQ(sounds.silence(), 400ms);
}

TEST_F(schedule, remembers_its_first_sound) {
    speak_first(boundary::sentence);
    sounds.record_start(zero + 4s, 1s);
    EXPECT_EQ(sounds.first_began(), zero + 1s);
}

TEST_F(schedule, reports_how_much_of_a_sound_was_heard) {
    sounds.record_start(zero + 1s, 2s);
    EXPECT_EQ(sounds.fraction_heard(zero), 0) << "before its beginning";
    EXPECT_DOUBLE_EQ(sounds.fraction_heard(zero + 1500ms), 0.25);
    EXPECT_EQ(sounds.fraction_heard(zero + 3s), 1);
    EXPECT_EQ(sounds.fraction_heard(zero + 9s), 1);
}

TEST_F(schedule, has_heard_nothing_of_what_is_not_spoken) {
    EXPECT_EQ(sounds.fraction_heard(zero), 0);
    speak_first(boundary::sentence);
    EXPECT_EQ(sounds.fraction_heard(zero + 3100ms), 0) << "in the pause";
}

TEST_F(schedule, has_heard_all_of_a_sound_of_no_length) {
    sounds.record_start(zero, 0s);
    EXPECT_EQ(sounds.fraction_heard(zero), 1);
}

}  // namespace
}  // namespace tandem::command
