#include "conversation/history/draft_rules.hpp"

#include "base/format_count.hpp"

#include <fmt/format.h>

namespace tandem::conversations {

std::optional<std::string> find_reason_to_skip_draft(const draft_request& r) {
    if (r.is_replying) return "a reply is running";
    if (r.is_raw) return "the prompts of the conversation are raw";
    if (r.open_calls > 0) return "functions are running";
    if (r.is_constrained)
        return "a grammar, a JSON schema or a required call needs a reply of one request";
    if (r.drafts >= r.limit)
        return fmt::format("the turn has had {} (draft_limit)", format_count(r.drafts, "draft"));
    return std::nullopt;
}

}  // namespace tandem::conversations
