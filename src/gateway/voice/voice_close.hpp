#pragma once

#include <cstdint>
#include <string_view>

namespace tandem::gateway {

/// Why the gateway closes a WebSocket. The codes are those of RFC 6455 and IANA, or start at 4000.
/// docs/voice-websocket.md describes how clients should react.
enum class voice_close : std::uint16_t {
    done = 1000,              ///< the client sent `end`
    no_text = 1003,           ///< a binary message
    too_large = 1009,         ///< a message exceeds the limit
    broken = 1011,            ///< an exception ended the session
    restarting = 1012,        ///< the gateway is stopping
    taken_over = 4001,        ///< another socket resumed the session
    silent = 4008,            ///< the client sent nothing, not even a pong
    moved = 4012,             ///< the gateway is stopping; the store keeps the session
    too_many_messages = 4029  ///< the client exceeds the message rate
};

/// Reason in the close frame; at most 123 bytes.
std::string_view to_string(voice_close why) noexcept;

}  // namespace tandem::gateway
