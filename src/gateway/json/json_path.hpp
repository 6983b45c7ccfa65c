#pragma once

#include <optional>
#include <string>
#include <string_view>

// Names for places in JSON text, such as `keys[2].rights[0]`, for messages about it. Pure.
namespace tandem::gateway {

/// The field `name` of the object at `at`, which is empty for the whole text. A name that is none
/// of ours by its looks is not repeated: secrets are pasted into the wrong place.
std::string field_path(std::string_view at, std::string_view name);

/// The first field that an object in `text` has twice, of which a parser keeps one and tells
/// nothing; nothing if there is none. Precondition: `text` is JSON, within the caller's bounds.
std::optional<std::string> repeated_field(std::string_view text);

}  // namespace tandem::gateway
