#pragma once

#include "gateway/adapters/adapter_set.hpp"

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/duration.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The options in a `start` of the voice WebSocket.
namespace tandem::gateway {

/// The generation options that a client sets. `given` lists their names; apply_changes() leaves all
/// other options unchanged.
struct generation_changes {
    generation_options values{};
    std::vector<std::string_view> given{};
    /// Adapters with the gateway's names, which the gateway replaces with the server's numbers.
    /// nullopt if not set.
    std::optional<std::vector<requested_adapter>> lora{};
    std::optional<int> lookahead{};
    /// All options that are set, as JSON; empty if there are none.
    std::string text{};
};
generation_options apply_changes(generation_options base, const generation_changes& changes);

/// Turns the model's thinking off (`enable_thinking`), unless the options already control thinking:
/// with a limit, an effort, or a template value. Templates that do not know `enable_thinking`
/// ignore it.
generation_options without_thinking(generation_options options);
bool has_thinking_off(const generation_options& options);

/// The options of a conversation that a client sets.
struct conversation_changes {
    std::optional<history_policy> interrupted{};
    std::optional<std::string> interrupted_mark{};
    std::optional<duration> resume_grace{};
    std::optional<int> reply_reserve{};
    std::optional<double> trim_slack{};
    std::optional<bool> trim{};
    std::optional<int> draft_limit{};
    std::optional<bool> isolate{};

    friend bool operator==(const conversation_changes&, const conversation_changes&) = default;
};
conversation_options apply_changes(conversation_options base, const conversation_changes& changes);

/// Words for a listener who waits for the first chunk of a reply.
struct voice_filler {
    /// How long the listener waits in silence before the filler.
    duration after{};
    /// The fillers of a session use these texts in turn.
    std::vector<std::string> texts{};
    /// Whether history keeps the spoken filler.
    bool history = false;
};

}  // namespace tandem::gateway
