#pragma once

#include "tandem/config.hpp"
#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tandem::conversations {

/// The prompt of a turn, and its sources.
struct turn_prompt {
    std::string_view prompt{};
    std::span<const chat_message> messages{};
    const generation_options& options;
    /// How many exchanges the conversation has dropped so far.
    int trims = 0;
};

/// Finds where the prompt of a turn stops continuing the previous prompt, and why. Pure.
class cache_break_detector {
 public:
    /// Does not set `at`, which only the server knows. nullopt if the prompt continues the previous
    /// prompt, or if there is no previous prompt.
    std::optional<cache_break> find_break(const turn_prompt& turn) const;
    /// The turn's request is being sent.
    void record_turn(const turn_prompt& turn, const std::optional<cache_break>& found);
    void record_prompt_tokens(int tokens) noexcept { prompt_tokens_ = tokens; }
    /// No slot holds the last prompt any longer.
    void forget_prompt() noexcept { prompt_.clear(); }
    /// How many turns had a system prompt that differed from that of the turn before.
    int changed_system_prompts() const noexcept { return changed_system_prompts_; }

 private:
    std::string prompt_;  // of the last turn
    int prompt_tokens_ = 0;
    std::string tools_;
    int trims_ = 0;
    int changed_system_prompts_ = 0;
};

}  // namespace tandem::conversations
