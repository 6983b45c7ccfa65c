#include "gateway/voice/voice_socket_watchdog.hpp"

#include "gateway/voice/voice_message_writer.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

voice_socket_watchdog::voice_socket_watchdog(const voice_limits& limits, time_point now)
    : limits_(limits), tokens_(limits.message_burst), filled_at_(now), heard_at_(now) {}

bool voice_socket_watchdog::take_token(time_point now) noexcept {
    const auto elapsed = std::chrono::duration<double>(now - std::exchange(filled_at_, now));
    tokens_ = std::min(limits_.message_burst,
                       tokens_ + std::max(0.0, elapsed.count()) * limits_.messages_per_second);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
}

// Closes the socket rather than dropping a message, because the client would wait for its effect
// forever. The session is kept.
voice_socket_watchdog::reading voice_socket_watchdog::read(time_point now, std::string_view text) {
    heard(now);
    if (!take_token(now)) {
        const api_error why{.status = 429,
                            .type = "rate_limit_error",
                            .code = "too_many_messages",
                            .message = "more messages than limits.messages_per_second"};
        return closing{voice_close::too_many_messages, error_text({.why = why, .fatal = true})};
    }
    auto message = parse_voice_message(text, limits_.message_bytes);
    if (auto* const fault = std::get_if<voice_message_error>(&message))
        return refusal{error_text({.why = *fault, .turn = fault->turn})};
    return std::get<voice_message>(std::move(message));
}

voice_socket_watchdog::closing voice_socket_watchdog::read_binary() {
    const api_error why{.status = 400,
                        .type = "invalid_request_error",
                        .code = "binary_message",
                        .message = "messages are JSON in text frames"};
    return {voice_close::no_text, error_text({.why = why, .fatal = true})};
}

void voice_socket_watchdog::heard(time_point now) noexcept {
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
