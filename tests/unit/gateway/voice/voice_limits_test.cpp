#include "gateway/voice/voice_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;

TEST(voice_limits, can_be_used_as_they_are) {
    EXPECT_THAT(check(voice_limits()), ::testing::IsEmpty());
}

struct bad_limit {
    const char* field;
    std::function<void(voice_limits&)> spoil;
};

TEST(voice_limits, have_ranges) {
    const bad_limit rows[] = {
        {"voice.message_bytes", [](auto& l) { l.message_bytes = 1023; }},
        {"voice.message_bytes", [](auto& l) { l.message_bytes = (std::size_t{16} << 20) + 1; }},
        {"voice.message_burst", [](auto& l) { l.message_burst = 0.5; }},
        {"voice.messages_per_second", [](auto& l) { l.messages_per_second = 0; }},
        {"voice.messages_per_second",
         [](auto& l) { l.messages_per_second = std::numeric_limits<double>::quiet_NaN(); }},
        {"voice.silence", [](auto& l) { l.silence = 99ms; }},
        {"voice.waiting_turns", [](auto& l) { l.waiting_turns = 0; }},
        {"voice.session_kept", [](auto& l) { l.session_kept = 60min; }},
        {"voice.call_timeout", [](auto& l) { l.call_timeout = 999ms; }},
        {"voice.call_timeout", [](auto& l) { l.call_timeout = 61min; }},
        {"voice.sessions_per_key", [](auto& l) { l.sessions_per_key = 0; }},
        {"voice.sessions", [](auto& l) { l.sessions = 0; }},
    };
    for (const auto& row : rows) {
        voice_limits l;
        row.spoil(l);
        const auto faults = check(l);
        ASSERT_EQ(faults.size(), 1u) << row.field;
        EXPECT_EQ(faults[0].field, row.field);
    }
}

}  // namespace
}  // namespace tandem::gateway
