#pragma once

#include <string_view>
#include <vector>

// Splits JSON text without decoding it. The text must be valid JSON of the named type, without
// surrounding white space; see wire::check_json().
namespace tandem::gateway {

struct raw_member {
    /// Without quotes; escapes are not decoded.
    std::string_view key;
    std::string_view value;
};

/// The members of an object, in order. Views into `object`.
std::vector<raw_member> split_members(std::string_view object);

/// The items of a list. Views into `list`.
std::vector<std::string_view> split_items(std::string_view list);

/// `text` without leading and trailing JSON white space.
std::string_view trim_json_space(std::string_view text) noexcept;

}  // namespace tandem::gateway
