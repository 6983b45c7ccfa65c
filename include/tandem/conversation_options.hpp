#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// What history keeps of an interrupted turn, and thus what the model believes it said.
enum class history_policy {
    heard,        ///< what the listener heard, up to the last whole word or chunk
    handed_over,  ///< what was delivered; for voices that cannot report how far they got
    full,         ///< everything that was generated
    none,         ///< nothing
};

/// The name of the value, as in logs, files and flags.
std::string_view to_string(history_policy p) noexcept;

/// Options of a conversation. The defaults suit a voice bot that the listener may interrupt.
struct conversation_options {
    /// Messages before the first turn: the system prompt, which is never dropped, and then a
    /// greeting or examples, which may be. Valid UTF-8, each with the role "system", "user",
    /// "assistant" or "tool".
    std::vector<chat_message> messages{};
    /// What history keeps of an interrupted turn.
    history_policy interrupted = history_policy::heard;
    /// Replaces the omitted end of an interrupted turn in history, for example "…", so that the
    /// model sees the interruption. At most 64 bytes of UTF-8; empty = none.
    std::string interrupted_mark{};
    /// How long after an interrupt resume() and heard() take effect. 0 to 1 h.
    duration resume_grace = std::chrono::seconds(5);
    /// Tokens of the context that history leaves free for the reply; only `max_tokens` if that is
    /// set and smaller. 0 to 1,000,000.
    int reply_reserve = 512;
    /// The oldest exchanges are dropped in steps. A step is at least half this share of the context
    /// and at most this share. Larger steps are rarer, and each one invalidates the slot's cache. 0
    /// to 0.9.
    double trim_slack = 0.25;
    /// Whether the oldest exchanges are dropped if history does not fit the context. If not, the
    /// turn fails with errc::prompt_too_long.
    bool trim = true;
    /// How many drafts conversation::async_draft() may make for one turn. 0 to 100.
    int draft_limit = 3;
    /// Removes this conversation's text from a slot before another conversation uses it. Costs
    /// prompt evaluation.
    bool isolate = false;
    /// The prompt is the concatenated content of all messages, without a chat template. The text of
    /// conversation::stream() then includes reasoning and its tags.
    bool raw = false;

    friend bool operator==(const conversation_options&, const conversation_options&) = default;
};

/// All errors of `o`; empty if it is valid. Throws only std::bad_alloc.
std::vector<config_fault> check(const conversation_options& o);

}  // namespace v0
}  // namespace tandem
