#pragma once

#include "gateway/traces/span.hpp"
#include "gateway/traces/traced_turn.hpp"

#include <cstddef>
#include <vector>

namespace tandem::gateway {

/// Further events of a span are only counted.
inline constexpr std::size_t max_span_events = 512;

/// The turn's span, followed by one for each request to a server. `random` makes their ids. Pure.
std::vector<span> build_spans(const traced_turn& turn, const random_bits& random);

}  // namespace tandem::gateway
