#pragma once

#include "report/report_data.hpp"

#include <string>

namespace tandem::command {

/// Returns a self-contained HTML page of a run: settings, figures, and each reply with its
/// timeline, chunks and texts. Pure.
std::string report_page(const report_run& run);

}  // namespace tandem::command
