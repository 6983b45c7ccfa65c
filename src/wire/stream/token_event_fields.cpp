#include "wire/stream/token_event_fields.hpp"

#include <algorithm>
#include <iterator>

namespace tandem::wire {
namespace {

struct key_row {
    section in;
    std::string_view name;
    field is;
};

// Old servers sent the members of "error" at the top level, and "stopped_*" instead of "stop_type".
constexpr key_row key_rows[] = {
    {section::top, "content", field::content},
    {section::top, "tokens", field::tokens},
    {section::top, "stop", field::stop},
    {section::top, "stop_type", field::stop_type},
    {section::top, "stopped_eos", field::stopped_eos},
    {section::top, "stopped_word", field::stopped_word},
    {section::top, "stopped_limit", field::stopped_limit},
    {section::top, "stopping_word", field::stopping_word},
    {section::top, "id_slot", field::id_slot},
    {section::top, "truncated", field::truncated},
    {section::top, "tokens_predicted", field::predicted},
    {section::top, "tokens_evaluated", field::prompt_tokens},
    {section::top, "tokens_cached", field::slot_tokens},
    {section::top, "timings", field::timings},
    {section::top, "prompt_progress", field::progress},
    {section::top, "error", field::error},
    {section::top, "code", field::error_code},
    {section::top, "type", field::error_type},
    {section::top, "message", field::error_message},
    {section::timings, "cache_n", field::cached},
    {section::timings, "prompt_n", field::evaluated},
    {section::timings, "prompt_ms", field::prompt_ms},
    {section::timings, "predicted_ms", field::predicted_ms},
    {section::progress, "cache", field::progress_cached},
    {section::progress, "processed", field::progress_processed},
    {section::error, "code", field::error_code},
    {section::error, "type", field::error_type},
    {section::error, "message", field::error_message},
    {section::error, "n_prompt_tokens", field::error_prompt_tokens},
    {section::error, "n_ctx", field::error_context},
};

}  // namespace

field find_field(section in, std::string_view name) noexcept {
    const auto row = std::find_if(std::begin(key_rows), std::end(key_rows),
                                  [&](const key_row& r) { return r.in == in && r.name == name; });
    return row == std::end(key_rows) ? field::other : row->is;
}

}  // namespace tandem::wire
