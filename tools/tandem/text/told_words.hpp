#pragma once

#include "tandem/error.hpp"

#include <string>

namespace tandem::command {

/// The library's words about an error, with the flags of this program in the place of the fields
/// that they name.
std::string told_words(const error_code& ec, const diagnostics& d);

}  // namespace tandem::command
