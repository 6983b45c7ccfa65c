#pragma once

#include <string_view>

// JSON texts that callers give, to be passed on as they are.
namespace tandem::wire {

/// Whether `text` is one JSON object, nested no deeper than answers may be, of at most 100,000
/// values and keys.
bool is_json_object(std::string_view text);

/// The same of a list of objects.
bool is_list_of_objects(std::string_view text);

}  // namespace tandem::wire
