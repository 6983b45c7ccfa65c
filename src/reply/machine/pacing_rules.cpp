#include "reply/machine/pacing_rules.hpp"

namespace tandem::detail {

pacing_rules make_pacing_rules(pacing mode, const pacing_config& c) {
    const auto ahead = static_cast<std::size_t>(c.ahead_chunks);
    const auto held = static_cast<std::size_t>(c.held_chunks_max);
    switch (mode) {
        case pacing::strict:
            break;
        case pacing::warm:
            return {.prefills_while_speaking = true};
        case pacing::automatic:
            return {.ahead_speech = c.ahead_speech, .continue_revokes_cut = true};
        case pacing::ahead:
            return {
                .low_watermark = ahead, .high_watermark = ahead + 1, .continue_revokes_cut = true};
        case pacing::stream:
            // After a cut, the reply continues when half of the held chunks have been spoken. A
            // request for each spoken chunk would be cut each time. A request after the last chunk
            // would come too late, and cause a silence.
            return {.low_watermark = (held + 1) / 2,
                    .high_watermark = held + 1,
                    .continue_revokes_cut = true};
    }
    return {};
}

}  // namespace tandem::detail
