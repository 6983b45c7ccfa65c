#pragma once

#include <string_view>
#include <vector>

// The parts of a JSON text as they are written, to the byte. The texts must be valid JSON, of the
// kind that is named, with no white space around them; see wire::check_json().
namespace tandem::gateway {

struct raw_member {
    /// Without its quotes; escapes stay.
    std::string_view key;
    std::string_view value;
};

/// The members of an object, in their order. Views of `object`.
std::vector<raw_member> members_of(std::string_view object);

/// The items of a list. Views of `list`.
std::vector<std::string_view> items_of(std::string_view list);

/// `text` without JSON's white space around it.
std::string_view trimmed(std::string_view text) noexcept;

}  // namespace tandem::gateway
