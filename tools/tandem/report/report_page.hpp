#pragma once

#include "report/report_data.hpp"

#include <string>

namespace tandem::command {

/// A run as one HTML file that needs nothing else: what was run, its figures, and each reply with
/// its time line, chunks and texts. Pure.
std::string report_page(const report_run& run);

}  // namespace tandem::command
