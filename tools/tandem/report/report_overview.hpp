#pragma once

#include "report/report_bars.hpp"

#include <span>

namespace tandem::command {

/// What all replies of a run did, on the lanes of all slots and, where the dialogues are few, on
/// one for the voice of each. Times are ms since the run's start. Pure.
report_bars overview_of(std::span<const report_reply> replies);

}  // namespace tandem::command
