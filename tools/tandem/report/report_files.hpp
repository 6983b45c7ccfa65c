#pragma once

#include <string_view>

namespace tandem::command {

/// Returns the embedded file of that name: a file of tools/tandem/report, or colors.css of the
/// gateway's page. Empty if there is none.
std::string_view report_file_text(std::string_view name) noexcept;

}  // namespace tandem::command
