#pragma once

#include "base/time.hpp"
#include "gateway/voice/voice_close.hpp"
#include "gateway/voice/voice_limits.hpp"
#include "gateway/voice/voice_message_reader.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::gateway {

/// Reads the messages of one socket within its size and rate limits, and decides when to ping and
/// when to close it. Pure; not thread-safe.
class voice_socket_watchdog {
 public:
    voice_socket_watchdog(const voice_limits& limits, time_point now);

    /// Close the socket, after sending `last_words` if not empty. Read and send nothing afterwards.
    struct closing {
        voice_close why;
        std::string last_words{};
    };
    /// Send the error and continue.
    struct refusal {
        std::string answer;
    };
    using reading = std::variant<voice_message, refusal, closing>;

    /// Call for each text message.
    reading read(time_point now, std::string_view text);
    /// Call for each binary message.
    static closing read_binary();
    /// Call for each ping or pong.
    void heard(time_point now) noexcept;

    enum class due { nothing, ping, close };
    /// What to do at `now`. A ping is due once per silence.
    due check(time_point now) noexcept;
    /// When to call check() next, if nothing is received before.
    time_point next_check() const noexcept;

 private:
    bool take_token(time_point now) noexcept;

    voice_limits limits_;
    double tokens_;
    time_point filled_at_;
    time_point heard_at_;
    bool is_pinged_ = false;
};

}  // namespace tandem::gateway
