#pragma once

#include "base/time.hpp"
#include "gateway/traces/traced_turn.hpp"
#include "gateway/voice/voice_actions.hpp"

#include <optional>
#include <string>

namespace tandem::gateway {

struct gateway_core;

/// Collects the trace of a session's running reply; does nothing without traces.
class voice_trace {
 public:
    explicit voice_trace(gateway_core& gateway) : gateway_(gateway) {}

    /// The turn's reply begins. Makes the reply's requests to servers children of the turn's span.
    void begin(const voice_turn& turn, generation_options& options);
    /// The last turn's reply is resumed, as a child of that turn's span.
    void begin_resumed(const voice_turn& turn);
    /// The header of the running reply's requests; empty if there is none.
    std::string traceparent() const {
        return turn_ ? to_traceparent(turn_->context) : traceparent_;
    }
    void on_chunk(time_point now);
    void on_calls(time_point now);
    void on_interrupt(time_point now);
    /// The reply has ended. `request_id` is the id of the upgrade request.
    void end(time_point now, const std::string& request_id, const std::string& model,
             const reply_result& result);

 private:
    gateway_core& gateway_;
    std::string traceparent_{};  // of the last turn
    std::optional<traced_turn> turn_;
};

}  // namespace tandem::gateway
