#pragma once

#include "report/report_bars.hpp"

#include <span>

namespace tandem::command {

/// Number of colors for dialogues. Further dialogues reuse the colors in order.
inline constexpr int resident_hues = 6;

/// Shows which dialogue's text each slot holds. Each slot has a lane. A bar begins with the first
/// request of a dialogue in the slot. It ends when another dialogue uses the slot, or at the end of
/// the run. Times are in ms since the start of the run. Pure.
report_bars make_slot_resident_bars(std::span<const report_reply> replies);

}  // namespace tandem::command
