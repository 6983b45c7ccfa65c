#include "gateway/voice/voice_limits.hpp"

#include "config/describe_expected_value.hpp"

#include <fmt/format.h>

namespace tandem::gateway {
namespace {

class limits_check {
 public:
    template <class Number>
    void check_number(const char* field, Number value, Number least, Number most) {
        if (value >= least && value <= most) return;  // false for NaN
        faults.push_back({field, fmt::format("is {}; it must be {} to {}", value, least, most)});
    }
    void check_time(const char* field, duration value, duration least, duration most) {
        if (value >= least && value <= most) return;
        faults.push_back({field, tandem::detail::invalid_value_text(
                                     tandem::to_string(value),
                                     tandem::detail::describe_time_range(least, most))});
    }

    std::vector<config_fault> faults;
};

}  // namespace

std::vector<config_fault> check(const voice_limits& l) {
    using namespace std::chrono_literals;
    constexpr std::size_t one = 1;
    limits_check c;
    c.check_number("voice.message_bytes", l.message_bytes, std::size_t{1} << 10,
                   std::size_t{16} << 20);
    c.check_number("voice.message_burst", l.message_burst, 1.0, 1e6);
    c.check_number("voice.messages_per_second", l.messages_per_second, 0.001, 1e6);
    c.check_time("voice.silence", l.silence, 100ms, 1h);
    c.check_number("voice.waiting_turns", l.waiting_turns, one, std::size_t{1000});
    c.check_time("voice.session_kept", l.session_kept, 1s, 59min);
    c.check_time("voice.call_timeout", l.call_timeout, 1s, 1h);
    c.check_number("voice.sessions_per_key", l.sessions_per_key, one, std::size_t{1'000'000});
    c.check_number("voice.sessions", l.sessions, one, std::size_t{1'000'000});
    return c.faults;
}

}  // namespace tandem::gateway
