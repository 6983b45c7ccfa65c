#pragma once

#include "text/characters/utf8.hpp"

#include <cstddef>
#include <string_view>

namespace tandem::gateway {

/// Longer names are no models'.
inline constexpr std::size_t max_model_name_bytes = 256;

/// 1 to 256 bytes of UTF-8.
inline bool is_model_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= max_model_name_bytes &&
           text::find_invalid(name) == std::string_view::npos;
}

}  // namespace tandem::gateway
