#pragma once

#include "base/format_count.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace tandem::conversations {

/// The state of a conversation that asks for a draft.
struct draft_request {
    bool is_replying = false;
    bool is_raw = false;
    /// Calls without a result.
    std::size_t open_calls = 0;
    /// The options require a single-request reply.
    bool is_constrained = false;
    /// Drafts since the last turn, and their limit.
    int drafts = 0;
    int limit = 0;
};

/// Why no reply may be drafted; nullopt if a reply may be drafted. Pure.
inline std::optional<std::string> find_reason_to_skip_draft(const draft_request& r) {
    if (r.is_replying) return "a reply is running";
    if (r.is_raw) return "the prompts of the conversation are raw";
    if (r.open_calls > 0) return "functions are running";
    if (r.is_constrained)
        return "a grammar, a JSON schema or a required call needs a reply of one request";
    if (r.drafts >= r.limit)
        return "the turn has had " + format_count(r.drafts, "draft") + " (draft_limit)";
    return std::nullopt;
}

}  // namespace tandem::conversations
