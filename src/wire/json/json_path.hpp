#pragma once

#include <optional>
#include <string>
#include <string_view>

// Paths in JSON text, such as `keys[2].rights[0]`, for error messages. Pure.
namespace tandem::wire {

/// The path of the field `name` in the object at `at` (empty = the root). A name that does not look
/// like a field is not repeated, because it may be a secret that a user pasted into the wrong
/// place.
std::string append_field_path(std::string_view at, std::string_view name);

/// The path of the first field that occurs twice in an object of `text`; nullopt if there is none.
/// Parsers would silently keep only one of the two. Precondition: `text` is JSON within the
/// caller's limits.
std::optional<std::string> find_duplicate_field(std::string_view text);

}  // namespace tandem::wire
