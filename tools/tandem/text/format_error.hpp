#pragma once

#include "tandem/error.hpp"

#include <string>

namespace tandem::command {

/// Returns the library's error message, with field names replaced by flags of this program.
std::string format_error(const error_code& ec, const diagnostics& d);

}  // namespace tandem::command
