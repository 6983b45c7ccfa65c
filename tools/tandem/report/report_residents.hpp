#pragma once

#include "report/report_bars.hpp"

#include <span>

namespace tandem::command {

/// Colors of dialogues. Dialogues reuse them in turn.
inline constexpr int resident_hues = 6;

/// Shows which dialogue's text each slot holds. Each slot has a lane. Each bar begins with a
/// dialogue's first request in the slot, and ends with another dialogue's first request there or at
/// the end of the run. Times are in ms since the start of the run. Pure.
report_bars make_slot_resident_bars(std::span<const report_reply> replies);

}  // namespace tandem::command
