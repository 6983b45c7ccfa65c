#pragma once

#include <string_view>

// JSON text from callers, to be passed through unchanged.
namespace tandem::wire {

/// Whether `text` is one JSON object, nested no deeper than answers may be, with at most 100,000
/// values and keys.
bool is_json_object(std::string_view text);

/// Like is_json_object(), for a list of objects.
bool is_list_of_objects(std::string_view text);

}  // namespace tandem::wire
