#include "tandem/result.hpp"

#include "base/enum_names.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem {
inline namespace v0 {

std::string_view to_string(boundary b) noexcept {
    return find_enum_name({"sentence", "clause", "word", "limit", "end"}, b);
}

std::string_view to_string(finish_reason r) noexcept {
    return find_enum_name({"eos", "stop_word", "length", "tool_calls", "interrupted", "error"}, r);
}

std::string_view to_string(cache_break::cause c) noexcept {
    return find_enum_name({"system_prompt", "tools", "trimmed", "history"}, c);
}

std::string_view to_string(timeline_event::kind k) noexcept {
    return find_enum_name({"slot_wait", "request", "first_token", "boundary", "cut", "chunk",
                           "continued", "end", "warming", "warmed", "lost"},
                          k);
}

double token_usage::cache_hit_ratio() const noexcept {
    return prompt_tokens() > 0 ? static_cast<double>(cached) / prompt_tokens() : 0.0;
}

std::string reply_result::metrics_line() const {
    return fmt::format(
        "LLMSlotMetrics(slot={}, reused={}, chunks={}, time={}ms, cached={}, eval={}, hit={}%)",
        metrics.slot, metrics.slot_reused ? "True" : "False", metrics.chunks,
        std::lround(metrics.total_ms), usage.cached, usage.evaluated,
        std::lround(usage.cache_hit_ratio() * 100));
}

}  // namespace v0
}  // namespace tandem
