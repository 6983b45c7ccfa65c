#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tandem::gateway {

inline constexpr std::size_t max_turn_id_bytes = 64;

/// Whether this is a valid id for a client's turn: 1 to 64 ASCII letters, digits and `._:-`.
inline bool is_turn_id(std::string_view id) noexcept {
    const auto is_known = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
               std::string_view("._:-").find(c) != std::string_view::npos;
    };
    return !id.empty() && id.size() <= max_turn_id_bytes && std::ranges::all_of(id, is_known);
}

}  // namespace tandem::gateway
