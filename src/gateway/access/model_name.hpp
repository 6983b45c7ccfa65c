#pragma once

#include "text/characters/utf8.hpp"

#include <cstddef>
#include <string_view>

namespace tandem::gateway {

/// Longer strings are not model names.
inline constexpr std::size_t max_model_name_bytes = 256;

/// Whether `name` is 1 to 256 bytes of valid UTF-8.
inline bool is_model_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= max_model_name_bytes &&
           text::find_invalid_utf8(name) == std::string_view::npos;
}

}  // namespace tandem::gateway
