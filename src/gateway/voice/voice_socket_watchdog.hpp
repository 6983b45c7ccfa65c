#pragma once

#include "base/time.hpp"
#include "gateway/voice/voice_limits.hpp"

namespace tandem::gateway {

/// Limits the message rate of one WebSocket, and decides when to ping and when to close the socket.
/// Pure; not thread-safe.
class voice_socket_watchdog {
 public:
    voice_socket_watchdog(const voice_limits& limits, time_point now);

    /// Call for each message. Returns false if the client exceeds the rate. Then close the socket:
    /// if the message were dropped, the client would wait for its effect forever.
    bool admit_message(time_point now) noexcept;
    /// Call for each ping or pong.
    void record_sign_of_life(time_point now) noexcept;

    enum class due { nothing, ping, close };
    /// What to do at `now`. After a ping, no other is due until something is received.
    due check(time_point now) noexcept;
    /// When to call check() next if nothing is received until then.
    time_point next_check() const noexcept;

 private:
    voice_limits limits_;
    double tokens_;
    time_point filled_at_;
    time_point heard_at_;
    bool is_pinged_ = false;
};

}  // namespace tandem::gateway
