#include "gateway/voice/voice_line.hpp"

#include "gateway/voice/voice_answer.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

std::string_view to_string(voice_close why) noexcept {
    switch (why) {
        case voice_close::done:
            return "the session has ended";
        case voice_close::no_text:
            return "messages are text";
        case voice_close::too_large:
            return "the message is too large";
        case voice_close::broken:
            return "the gateway could not go on";
        case voice_close::restarting:
            return "the gateway is stopping";
        case voice_close::taken_over:
            return "another connection took up the session";
        case voice_close::silent:
            return "nothing was heard of the client";
        case voice_close::too_many_messages:
            return "too many messages";
    }
    return {};
}

voice_line::voice_line(const voice_limits& limits, time_point now)
    : limits_(limits), tokens_(limits.message_burst), filled_at_(now), heard_at_(now) {}

bool voice_line::take_token(time_point now) noexcept {
    const auto elapsed = std::chrono::duration<double>(now - std::exchange(filled_at_, now));
    tokens_ = std::min(limits_.message_burst,
                       tokens_ + std::max(0.0, elapsed.count()) * limits_.messages_per_second);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
}

// A message that is dropped would leave the client waiting for what never comes, so the socket is
// closed; its session is kept.
voice_line::reading voice_line::read(time_point now, std::string_view text) {
    heard(now);
    if (!take_token(now)) {
        const api_error why{.status = 429,
                            .type = "rate_limit_error",
                            .code = "too_many_messages",
                            .message = "more messages than limits.messages_per_second"};
        return closing{voice_close::too_many_messages, error_text({.why = why, .fatal = true})};
    }
    auto message = read_voice_message(text, limits_.message_bytes);
    if (auto* const fault = std::get_if<voice_fault>(&message))
        return refusal{error_text({.why = *fault, .turn = fault->turn})};
    return std::get<voice_message>(std::move(message));
}

voice_line::closing voice_line::read_binary() {
    const api_error why{.status = 400,
                        .type = "invalid_request_error",
                        .code = "binary_message",
                        .message = "messages are JSON in text frames"};
    return {voice_close::no_text, error_text({.why = why, .fatal = true})};
}

void voice_line::heard(time_point now) noexcept {
    heard_at_ = now;
    is_pinged_ = false;
}

voice_line::due voice_line::check(time_point now) noexcept {
    if (now < next_check()) return due::nothing;
    if (is_pinged_ || now >= heard_at_ + limits_.silence) return due::close;
    is_pinged_ = true;
    return due::ping;
}

time_point voice_line::next_check() const noexcept {
    return heard_at_ + (is_pinged_ ? limits_.silence : limits_.silence / 2);
}

}  // namespace tandem::gateway
