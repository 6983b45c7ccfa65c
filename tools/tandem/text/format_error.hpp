#pragma once

#include "tandem/error.hpp"

#include <string>
#include <string_view>

namespace tandem::command {

/// Returns the library's error message, with field names replaced by flags of this program. Appends
/// `hint` unless it is empty.
std::string format_error(const error_code& ec, const diagnostics& d, std::string_view hint = {});
/// Replaces field names with flags in a message of the library's log.
std::string replace_field_names(std::string message);

}  // namespace tandem::command
