#include "gateway/voice/voice_socket_watchdog.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

voice_socket_watchdog::voice_socket_watchdog(const voice_limits& limits, time_point now)
    : limits_(limits), tokens_(limits.message_burst), filled_at_(now), heard_at_(now) {}

bool voice_socket_watchdog::admit_message(time_point now) noexcept {
    record_sign_of_life(now);
    const auto elapsed = std::chrono::duration<double>(now - std::exchange(filled_at_, now));
    tokens_ = std::min(limits_.message_burst,
                       tokens_ + std::max(0.0, elapsed.count()) * limits_.messages_per_second);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
}

void voice_socket_watchdog::record_sign_of_life(time_point now) noexcept {
    heard_at_ = now;
    is_pinged_ = false;
}

voice_socket_watchdog::due voice_socket_watchdog::check(time_point now) noexcept {
    if (now < next_check()) return due::nothing;
    if (is_pinged_ || now >= heard_at_ + limits_.silence) return due::close;
    is_pinged_ = true;
    return due::ping;
}

time_point voice_socket_watchdog::next_check() const noexcept {
    return heard_at_ + (is_pinged_ ? limits_.silence : limits_.silence / 2);
}

}  // namespace tandem::gateway
