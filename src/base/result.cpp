#include "tandem/result.hpp"

#include "tandem/chunk.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tandem {
inline namespace v0 {

std::string_view to_string(boundary b) noexcept {
    switch (b) {
        case boundary::sentence:
            return "sentence";
        case boundary::clause:
            return "clause";
        case boundary::word:
            return "word";
        case boundary::limit:
            return "limit";
        case boundary::end:
            return "end";
    }
    return {};
}

std::string_view to_string(finish_reason r) noexcept {
    switch (r) {
        case finish_reason::eos:
            return "eos";
        case finish_reason::stop_word:
            return "stop_word";
        case finish_reason::length:
            return "length";
        case finish_reason::tool_calls:
            return "tool_calls";
        case finish_reason::interrupted:
            return "interrupted";
        case finish_reason::error:
            return "error";
    }
    return {};
}

std::string_view to_string(cache_break::cause c) noexcept {
    using cause = cache_break::cause;
    switch (c) {
        case cause::system_prompt:
            return "system_prompt";
        case cause::tools:
            return "tools";
        case cause::trimmed:
            return "trimmed";
        case cause::history:
            return "history";
    }
    return {};
}

std::string_view to_string(timeline_event::kind k) noexcept {
    using kind = timeline_event::kind;
    switch (k) {
        case kind::slot_wait:
            return "slot_wait";
        case kind::request:
            return "request";
        case kind::first_token:
            return "first_token";
        case kind::boundary:
            return "boundary";
        case kind::cut:
            return "cut";
        case kind::chunk:
            return "chunk";
        case kind::continued:
            return "continued";
        case kind::end:
            return "end";
        case kind::warming:
            return "warming";
        case kind::warmed:
            return "warmed";
        case kind::lost:
            return "lost";
    }
    return {};
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
