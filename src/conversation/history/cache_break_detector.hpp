#pragma once

#include "tandem/config.hpp"
#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tandem::conversations {

/// The prompt of a turn, and what it was rendered from.
struct turn_prompt {
    std::string_view prompt{};
    std::span<const chat_message> messages{};
    const generation_options& options;
    /// How many exchanges the conversation has dropped so far.
    int trims = 0;
};

/// Detects that a turn's prompt does not continue the previous prompt, and why not. Pure.
class cache_break_detector {
 public:
    /// Returns nullopt if the prompt continues the previous one, or if there is none. Leaves `at`
    /// unset, because only the server can count the reused tokens.
    std::optional<cache_break> find_break(const turn_prompt& turn) const;
    /// Call it when the turn's request is sent: the next prompt is compared with this one.
    void record_turn(const turn_prompt& turn, const std::optional<cache_break>& found);
    void record_prompt_tokens(int tokens) noexcept { prompt_tokens_ = tokens; }
    /// Call it when no slot holds the last prompt any longer, so that the next prompt is not
    /// compared with it.
    void forget_prompt() noexcept { prompt_.clear(); }
    /// Number of turns whose system prompt differed from the previous turn's.
    int changed_system_prompts() const noexcept { return changed_system_prompts_; }

 private:
    std::string prompt_;  // of the last turn
    int prompt_tokens_ = 0;
    std::string tools_;
    int trims_ = 0;
    int changed_system_prompts_ = 0;
};

}  // namespace tandem::conversations
