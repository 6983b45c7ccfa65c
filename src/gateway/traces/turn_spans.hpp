#pragma once

#include "gateway/traces/span.hpp"
#include "gateway/traces/traced_turn.hpp"

#include <cstddef>
#include <vector>

namespace tandem::gateway {

/// Maximum number of events in a span; further events are only counted.
inline constexpr std::size_t max_span_events = 512;

/// The turn's span, followed by a span for each request to a server. `random` makes the spans' ids.
/// Pure.
std::vector<span> build_spans(const traced_turn& turn, const random_bits& random);

}  // namespace tandem::gateway
