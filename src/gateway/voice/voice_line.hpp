#pragma once

#include "base/time.hpp"
#include "gateway/voice/voice_limits.hpp"
#include "gateway/voice/voice_message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::gateway {

/// Why the gateway closes a WebSocket: codes of RFC 6455 and IANA where there is one, else from
/// 4000 on. docs/voice-websocket.md says what a client does then.
enum class voice_close : std::uint16_t {
    done = 1000,              ///< the client said `end`
    no_text = 1003,           ///< a binary message
    too_large = 1009,         ///< a message over the limit: closed by the WebSocket library
    broken = 1011,            ///< an exception ended the session
    restarting = 1012,        ///< the gateway stops
    taken_over = 4001,        ///< another socket took up the session
    silent = 4008,            ///< nothing was heard of the client, not even an answer to a ping
    too_many_messages = 4029  ///< more messages than the limit
};

/// The words of the close frame; at most 123 bytes.
std::string_view to_string(voice_close why) noexcept;

/// What one socket may do, and whether it lives: reads its messages within the limits of size and
/// rate, and decides when to ping and when to give it up. Pure; not thread-safe.
class voice_line {
 public:
    voice_line(const voice_limits& limits, time_point now);

    /// Close the socket, after this message if there is one; nothing is read or sent after that.
    struct closing {
        voice_close why;
        std::string last_words{};
    };
    /// Refuse the message, and continue.
    struct refusal {
        std::string answer;
    };
    using reading = std::variant<voice_message, refusal, closing>;

    /// A text message came.
    reading read(time_point now, std::string_view text);
    /// A binary message came.
    static closing read_binary();
    /// A pong came, or a ping.
    void heard(time_point now) noexcept;

    enum class due { nothing, ping, close };
    /// What is to be done now; a ping is due once for each silence.
    due check(time_point now) noexcept;
    /// When check() has something to say next, unless something is heard before.
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
