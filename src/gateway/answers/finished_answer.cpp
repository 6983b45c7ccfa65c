#include "gateway/answers/finished_answer.hpp"

#include <algorithm>

namespace tandem::gateway {

answer_usage to_answer_usage(const reply_result& r) {
    const auto& u = r.usage;
    return {u.prompt, u.generated, std::min(u.cached, u.prompt), u.reasoning, r.cache_break};
}

bool is_complete(const finished_answer& answer) noexcept {
    switch (answer.reason) {
        case finish_reason::eos:
        case finish_reason::stop_word:
        case finish_reason::length:
        case finish_reason::tool_calls:
            return true;
        default:
            return false;
    }
}

std::size_t estimate_bytes(const finished_answer& answer) noexcept {
    auto bytes = sizeof answer + answer.text.size() + answer.reasoning.size();
    for (const auto& call : answer.calls)
        bytes += sizeof call + call.id.size() + call.name.size() + call.arguments.size();
    return bytes;
}

api_error make_cut_short_error(finish_reason reason) {
    if (reason == finish_reason::interrupted)
        return make_error(503, "interrupted", "the answer was interrupted before its end");
    return make_error(502, "server_error", "the answer failed before its end");
}

}  // namespace tandem::gateway
