#pragma once

#include "tandem/config.hpp"

#include <cstddef>

namespace tandem::detail {

/// What a pacing mode means. The *lead* of a reply are its complete chunks whose continue has not
/// come: the one that is spoken, and those that are held back.
struct pacing_rules {
    /// A request is sent while the lead is at most this.
    std::size_t request_at = 0;
    /// A running request is cut when the lead reaches this.
    std::size_t cut_at = 1;
    /// A cut that is due, but waits for its peek, is given up when a continue comes before it.
    bool goes_on_uncut = false;
    /// While the voice speaks, the slot that comes next is prefilled.
    bool warms = false;
};

/// One request that is never cut: all its chunks are held back until their turn.
constexpr pacing_rules uncut{.cut_at = static_cast<std::size_t>(-1)};

/// `ahead_chunks` and `held_chunks_max` as in the configuration.
pacing_rules pacing_rules_of(pacing mode, int ahead_chunks, int held_chunks_max);

}  // namespace tandem::detail
