#pragma once

#include "report/report_bars.hpp"

#include <span>

namespace tandem::command {

/// Returns the bars of all replies of a run: a lane for each slot and, for few dialogues, a lane
/// for each voice. Times are in ms since the start of the run. Pure.
report_bars make_overview(std::span<const report_reply> replies);

}  // namespace tandem::command
