#pragma once

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
    /// The options require a reply of one request.
    bool is_constrained = false;
    /// Drafts since the last turn, and their limit.
    int drafts = 0;
    int limit = 0;
};

/// Why no reply may be drafted; nullopt if one may. Pure.
std::optional<std::string> find_reason_to_skip_draft(const draft_request& r);

}  // namespace tandem::conversations
