#pragma once

#include "tandem/config.hpp"
#include "tandem/result.hpp"

namespace tandem::gateway {

struct gateway_core;
struct served_model;

/// Decides whether the model thinks before the replies of a voice session: not by default, because
/// the listener would wait in silence.
class voice_thinking {
 public:
    voice_thinking(const gateway_core& gateway, served_model& model)
        : gateway_(gateway), model_(model) {}

    /// Turns thinking off, unless `options` or a limit of the gateway controls it. Returns a copy,
    /// because the prompt policy and the audit log need the turn's options as the client sent them.
    generation_options turn_off_unless_set(generation_options options) const;
    /// Call with the options of a turn's reply when the reply begins.
    void remember_options(const generation_options& options);
    /// Logs a warning, once per model, if the model thought although thinking was off.
    void warn_if_thinking_off_was_ignored(const reply_result& result) const;

 private:
    const gateway_core& gateway_;
    served_model& model_;
    bool is_off_ = false;  // in the last turn
};

}  // namespace tandem::gateway
