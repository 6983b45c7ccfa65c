#include "gateway/voice/voice_socket_watchdog.hpp"

#include "gateway/voice/voice_close.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;

constexpr time_point first_time = time_point(1h);
TEST(voice_socket_watchdog, takes_a_burst_and_then_so_many_messages_a_second) {
    voice_socket_watchdog line({.message_burst = 3, .messages_per_second = 2}, first_time);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(line.admit_message(first_time)) << i;
    for (int i = 1; i <= 4; ++i) EXPECT_TRUE(line.admit_message(first_time + i * 500ms)) << i;
    EXPECT_FALSE(line.admit_message(first_time + 2400ms));
}

TEST(voice_socket_watchdog, saves_no_more_than_a_burst) {
    voice_socket_watchdog line({.message_burst = 2, .messages_per_second = 10}, first_time);
    const auto later = first_time + 1h;
    EXPECT_TRUE(line.admit_message(later));
    EXPECT_TRUE(line.admit_message(later));
    EXPECT_FALSE(line.admit_message(later));
}

TEST(voice_socket_watchdog, takes_nothing_back_if_the_time_goes_back) {
    voice_socket_watchdog line({.message_burst = 2, .messages_per_second = 1}, first_time);
    line.admit_message(first_time);
    EXPECT_TRUE(line.admit_message(first_time - 10s));
}

TEST(voice_socket_watchdog, is_pinged_once_after_half_the_silence_and_closed_after_all_of_it) {
    voice_socket_watchdog line({.silence = 30s}, first_time);
    EXPECT_EQ(line.next_check(), first_time + 15s);
    EXPECT_EQ(line.check(first_time + 14s), voice_socket_watchdog::due::nothing);
    EXPECT_EQ(line.check(first_time + 15s), voice_socket_watchdog::due::ping);
    EXPECT_EQ(line.check(first_time + 16s), voice_socket_watchdog::due::nothing);
    EXPECT_EQ(line.next_check(), first_time + 30s);
    EXPECT_EQ(line.check(first_time + 30s), voice_socket_watchdog::due::close);
}

TEST(voice_socket_watchdog, lives_as_long_as_it_is_heard) {
    voice_socket_watchdog line({.silence = 30s}, first_time);
    EXPECT_EQ(line.check(first_time + 15s), voice_socket_watchdog::due::ping);
    line.record_sign_of_life(first_time + 20s);
    EXPECT_EQ(line.check(first_time + 34s), voice_socket_watchdog::due::nothing);
    EXPECT_EQ(line.check(first_time + 35s), voice_socket_watchdog::due::ping);
    line.admit_message(first_time + 40s);
    EXPECT_EQ(line.next_check(), first_time + 55s);
}

TEST(voice_socket_watchdog, is_closed_without_a_ping_if_nobody_looked_in_time) {
    voice_socket_watchdog line({.silence = 30s}, first_time);
    EXPECT_EQ(line.check(first_time + 31s), voice_socket_watchdog::due::close);
}

TEST(voice_close, has_words_that_fit_a_close_frame) {
    for (const auto why : {voice_close::done, voice_close::no_text, voice_close::too_large,
                           voice_close::broken, voice_close::restarting, voice_close::taken_over,
                           voice_close::silent, voice_close::too_many_messages}) {
        EXPECT_FALSE(to_string(why).empty());
        EXPECT_LE(to_string(why).size(), 123u);
    }
}

}  // namespace
}  // namespace tandem::gateway
