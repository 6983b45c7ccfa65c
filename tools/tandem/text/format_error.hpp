#pragma once

#include "tandem/error.hpp"

#include <string>

namespace tandem::command {

/// Returns the library's error message, with field names replaced by flags of this program.
std::string format_error(const error_code& ec, const diagnostics& d);
/// The same for a message of the library's log.
std::string name_flags(std::string message);

}  // namespace tandem::command
