#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace tandem::wire {

/// Why text cannot be parsed.
enum class json_fault {
    none,
    not_json,
    too_deep,         ///< lists and objects exceed the nesting limit
    too_many_values,  ///< more values and keys than allowed
    too_many_keys,    ///< an object has more keys than allowed
};

struct json_limits {
    int depth;           ///< nesting of lists and objects
    std::size_t values;  ///< values and keys together
    /// Keys of one object. Needed to parse into objects that preserve key order: adding a key to
    /// such an object searches all of its keys.
    std::size_t keys = std::numeric_limits<std::size_t>::max();
};

/// Scans `text` up to the first fault, without storing it. Takes linear time, unlike the parser's
/// own filter, which scans a list again for each object in it.
json_fault check_json(std::string_view text, const json_limits& limits);

/// Like check_json(), but describes the fault in words that follow a name, such as "is not valid
/// JSON near byte 12"; empty without a fault.
std::string describe_json_fault(std::string_view text, const json_limits& limits);

/// Like describe_json_fault(), for text that may also be too long or not valid UTF-8.
std::string describe_text_fault(std::string_view text, std::size_t max_bytes,
                                const json_limits& limits);

/// Replaces each list and object nested deeper than `deepest` with null, without reading its
/// contents. Linear time.
std::string prune_deep_json(std::string_view text, int deepest);

}  // namespace tandem::wire
