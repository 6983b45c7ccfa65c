#pragma once

#include "tandem/error.hpp"

#include <string_view>

namespace tandem {
inline namespace v0 {

/// Returns the code whose error_name() is `name`, or a default error_code for an unknown name.
error_code find_error_code(std::string_view name) noexcept;

}  // namespace v0
}  // namespace tandem
