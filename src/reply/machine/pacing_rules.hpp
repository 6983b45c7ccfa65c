#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"

#include <cstddef>
#include <optional>

namespace tandem::detail {

/// The rules of a pacing mode. The *lead* of a reply is the number of its complete chunks that have
/// not been continued: the chunk being spoken, and the held chunks.
struct pacing_rules {
    /// If set, replaces the watermarks: a running request is cut when so much speech is ahead of
    /// the voice, or at the end of any chunk if another reply needs the slot sooner. The next
    /// request is sent when half of this speech is left.
    std::optional<duration> ahead_speech{};
    /// A request is sent while the lead is at most this.
    std::size_t low_watermark = 0;
    /// A running request is cut when the lead reaches this.
    std::size_t high_watermark = 1;
    /// While a cut waits for its peek, a continue that reduces the lead cancels the cut.
    bool continue_revokes_cut = false;
    /// The next slot is prefilled while the voice speaks.
    bool prefills_while_speaking = false;
};

/// The rules of a reply of one request, which is never cut. Its chunks are held until their turn.
constexpr pacing_rules uncut{.high_watermark = static_cast<std::size_t>(-1)};

pacing_rules make_pacing_rules(pacing mode, const pacing_config& c);

}  // namespace tandem::detail
