#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// What history keeps of a turn that was interrupted: what the model will believe it said.
enum class history_policy {
    heard,        ///< what the listener heard, to the last whole word or chunk
    handed_over,  ///< what was handed over; for voices that cannot tell how far they got
    full,         ///< all that was generated, as if there had been no interrupt
    none,         ///< nothing
};

/// Its name, as in logs, files and flags.
std::string_view to_string(history_policy p) noexcept;

/// How a conversation is held. The defaults fit a voice bot that the listener may interrupt.
struct conversation_options {
    /// What comes before the first turn: the system prompt, which stays when the oldest exchanges
    /// are dropped, and then a greeting or examples, which do not. Valid UTF-8, each of role
    /// "system", "user", "assistant" or "tool".
    std::vector<chat_message> messages{};
    /// What is kept of an interrupted turn. The model should know no more than the listener does.
    history_policy interrupted = history_policy::heard;
    /// Put behind what is kept of an interrupted turn if something was left out, for example "…",
    /// so that the model sees that it was cut short. At most 64 bytes of UTF-8; empty = none.
    std::string interrupted_mark{};
    /// How long after an interrupt the turn may be resumed, and reports of what was heard still
    /// count; then history is settled. 0 = settled at once. 0 to 1 h.
    duration resume_grace = std::chrono::seconds(5);
    /// Tokens of the context that are kept free for the reply, or its `max_tokens` if that is set
    /// and smaller: a prompt that just fits would leave no room for an answer. 0 to 1,000,000.
    int reply_reserve = 512;
    /// Share of the context that is freed besides when the oldest exchanges are dropped. Each drop
    /// moves what the slots' caches hold, so it should be rare. 0 to 0.9.
    double trim_slack = 0.25;
    /// Nothing of this conversation stays in a slot that another one uses: for callers who must
    /// not share even a cache. Costs prompt processing.
    bool isolate = false;
    /// The prompt is the contents of all messages, one behind the other, without a chat template:
    /// for models and callers that write their own.
    bool raw = false;

    friend bool operator==(const conversation_options&, const conversation_options&) = default;
};

/// All faults of `o`; empty if it can be used. Never throws but for lack of memory.
std::vector<config_fault> check(const conversation_options& o);

}  // namespace tandem
