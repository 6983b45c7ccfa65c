#pragma once

#include "tandem/error.hpp"

#include <string_view>

namespace tandem {

/// The code whose error_name() this is; none for a name that no code has.
error_code error_named(std::string_view name) noexcept;

}  // namespace tandem
