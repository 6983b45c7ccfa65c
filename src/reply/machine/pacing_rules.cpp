#include "reply/machine/pacing_rules.hpp"

namespace tandem::detail {

pacing_rules pacing_rules_of(pacing mode, int ahead_chunks, int held_chunks_max) {
    const auto ahead = static_cast<std::size_t>(ahead_chunks);
    const auto held = static_cast<std::size_t>(held_chunks_max);
    switch (mode) {
        case pacing::strict:
            break;
        case pacing::warm:
            return {.warms = true};
        case pacing::ahead:
            return {.request_at = ahead, .cut_at = ahead + 1, .goes_on_uncut = true};
        case pacing::stream:
            // Once it was cut it continues when half of what is held was spoken: not at each chunk,
            // which would be another cut each, and not at the last one, which would be a silence.
            return {.request_at = (held + 1) / 2, .cut_at = held + 1, .goes_on_uncut = true};
    }
    return {};
}

}  // namespace tandem::detail
