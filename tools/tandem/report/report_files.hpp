#pragma once

#include <string_view>

namespace tandem::command {

/// A file of tools/tandem/report, or the colors.css of the gateway's page, which are built in;
/// empty if there is none of that name.
std::string_view report_file_text(std::string_view name) noexcept;

}  // namespace tandem::command
