#pragma once

#include "report/report_bars.hpp"

#include <span>

namespace tandem::command {

/// Colors of dialogues. Dialogues reuse them in turn.
inline constexpr int resident_hues = 6;

/// Returns whose text each slot holds: a lane for each slot, and a bar from a dialogue's first
/// request in a slot until the first request of another dialogue there, or the end of the run.
/// Times are ms since the start of the run. Pure.
report_bars make_residents(std::span<const report_reply> replies);

}  // namespace tandem::command
