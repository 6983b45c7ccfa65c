#include "gateway/voice/voice_socket_watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr time_point first_time = time_point(1h);
const std::string resume_message = R"({"type":"resume"})";

bool is_read(const voice_socket_watchdog::reading& r) {
    return std::holds_alternative<voice_message>(r);
}

bool is_closed(const voice_socket_watchdog::reading& r) {
    return std::holds_alternative<voice_socket_watchdog::closing>(r);
}

TEST(voice_socket_watchdog, reads_messages) {
    voice_socket_watchdog line({}, first_time);
    const auto r = line.read(first_time, resume_message);
    ASSERT_TRUE(is_read(r));
    EXPECT_TRUE(std::holds_alternative<voice::resume>(std::get<voice_message>(r)));
}

TEST(voice_socket_watchdog, refuses_what_cannot_be_read_and_goes_on) {
    voice_socket_watchdog line({.message_bytes = 100}, first_time);
    for (const auto& bad : {std::string("{"), std::string(101, ' ')}) {
        const auto r = line.read(first_time, bad);
        ASSERT_TRUE(std::holds_alternative<voice_socket_watchdog::refusal>(r));
        EXPECT_THAT(std::get<voice_socket_watchdog::refusal>(r).answer,
                    HasSubstr("\"retryable\":false"));
    }
    EXPECT_TRUE(is_read(line.read(first_time, resume_message)));
}

TEST(voice_socket_watchdog, takes_a_burst_and_then_so_many_messages_a_second) {
    voice_socket_watchdog line({.message_burst = 3, .messages_per_second = 2}, first_time);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(is_read(line.read(first_time, resume_message))) << i;
    for (int i = 1; i <= 4; ++i)
        EXPECT_TRUE(is_read(line.read(first_time + i * 500ms, resume_message))) << i;
    const auto r = line.read(first_time + 2400ms, resume_message);
    ASSERT_TRUE(is_closed(r));
    const auto& closing = std::get<voice_socket_watchdog::closing>(r);
    EXPECT_EQ(closing.why, voice_close::too_many_messages);
    EXPECT_THAT(closing.last_words, HasSubstr("\"fatal\":true"));
}

TEST(voice_socket_watchdog, saves_no_more_than_a_burst) {
    voice_socket_watchdog line({.message_burst = 2, .messages_per_second = 10}, first_time);
    const auto later = first_time + 1h;
    EXPECT_TRUE(is_read(line.read(later, resume_message)));
    EXPECT_TRUE(is_read(line.read(later, resume_message)));
    EXPECT_TRUE(is_closed(line.read(later, resume_message)));
}

TEST(voice_socket_watchdog, takes_nothing_back_where_the_time_goes_back) {
    voice_socket_watchdog line({.message_burst = 2, .messages_per_second = 1}, first_time);
    line.read(first_time, resume_message);
    EXPECT_TRUE(is_read(line.read(first_time - 10s, resume_message)));
}

TEST(voice_socket_watchdog, counts_bad_messages_too) {
    voice_socket_watchdog line({.message_burst = 1, .messages_per_second = 1}, first_time);
    line.read(first_time, "{");
    EXPECT_TRUE(is_closed(line.read(first_time, resume_message)));
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
    line.heard(first_time + 20s);
    EXPECT_EQ(line.check(first_time + 34s), voice_socket_watchdog::due::nothing);
    EXPECT_EQ(line.check(first_time + 35s), voice_socket_watchdog::due::ping);
    line.read(first_time + 40s, "{");
    EXPECT_EQ(line.next_check(), first_time + 55s);
}

TEST(voice_socket_watchdog, is_closed_without_a_ping_where_nobody_looked_in_time) {
    voice_socket_watchdog line({.silence = 30s}, first_time);
    EXPECT_EQ(line.check(first_time + 31s), voice_socket_watchdog::due::close);
}

TEST(voice_socket_watchdog, takes_no_binary_messages) {
    EXPECT_EQ(voice_socket_watchdog::read_binary().why, voice_close::no_text);
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
