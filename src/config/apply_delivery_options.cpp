#include "config/apply_delivery_options.hpp"

#include <optional>

namespace tandem {
namespace {

template <class To, class From>
void set(To& field, const std::optional<From>& given) {
    if (given) field = *given;
}

// If the limits conflict, adjusts the one that the reply does not set.
void set_first_chunk(chunking_config& c, const delivery_options& o) {
    set(c.first_chunk_min_tokens, o.first_chunk_min_tokens);
    set(c.first_chunk_max_tokens, o.first_chunk_max_tokens);
    set(c.chunk_max_tokens, o.chunk_max_tokens);
    const int most = c.first_chunk_max_tokens ? c.first_chunk_max_tokens : c.chunk_max_tokens;
    if (most == 0 || c.first_chunk_min_tokens <= most) return;
    if (!o.first_chunk_min_tokens)
        c.first_chunk_min_tokens = most;
    else if (!o.first_chunk_max_tokens)
        c.first_chunk_max_tokens = c.first_chunk_min_tokens;
}

}  // namespace

config apply_delivery_options(config c, const delivery_options& o) {
    set(c.pacing.mode, o.pacing);
    set(c.chunking.language, o.language);
    set(c.speech.form, o.speech);
    set(c.speech.replace, o.speech_replace);
    set(c.speech.marks, o.speech_marks);
    set(c.speech.mark_tags, o.speech_mark_tags);
    set_first_chunk(c.chunking, o);
    set(c.chunking.chunk_min_chars, o.chunk_min_chars);
    set(c.chunking.peek_hold, o.peek_hold);
    set(c.chunking.chunk_deadline, o.chunk_deadline);
    set(c.speech.reasoning_limit, o.reasoning_limit);
    set(c.speech.reasoning_limit_tokens, o.reasoning_limit_tokens);
    return c;
}

}  // namespace tandem
