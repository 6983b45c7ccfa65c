#include "gateway/sessions/voice_thinking.hpp"

#include "gateway/sessions/gateway_core.hpp"
#include "gateway/voice/voice_option_changes.hpp"

#include <fmt/format.h>

#include <utility>

namespace tandem::gateway {

generation_options voice_thinking::turn_off_unless_set(generation_options options) const {
    const auto& speech = gateway_.options.service.client.speech;
    const bool is_limited =
        speech.reasoning_limit > duration{} || speech.reasoning_limit_tokens > 0;
    return is_limited ? options : without_thinking(std::move(options));
}

void voice_thinking::remember_options(const generation_options& options) {
    is_off_ = has_thinking_off(options);
}

// A chat template that ignores the option does so in every turn, so one warning is enough.
void voice_thinking::warn_if_thinking_off_was_ignored(const reply_result& result) const {
    const bool ignores_switch = is_off_ && result.usage.reasoning > 0;
    const auto& log = gateway_.options.instruments.log;
    if (!ignores_switch || std::exchange(model_.has_warned_of_thinking, true) ||
        !log.enabled(log_level::warning))
        return;
    log.write(log_level::warning,
              fmt::format("model {}: thinks before it speaks, as its chat template ignores "
                          "enable_thinking; set --reasoning-limit",
                          model_.name));
}

}  // namespace tandem::gateway
