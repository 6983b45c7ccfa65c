#pragma once

#include "report_bars.hpp"

namespace tandem::command {

/// What all replies of a run did, on the lanes of all slots and, where the dialogues are few, on
/// one for the voice of each. Times are ms since the run's start. Pure.
report_bars overview_of(const report_run& run);

}  // namespace tandem::command
