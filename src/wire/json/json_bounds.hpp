#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace tandem::wire {

/// What keeps a text from being parsed.
enum class json_fault {
    none,
    not_json,
    too_deep,         ///< lists and objects are nested deeper than the bound
    too_many_values,  ///< values and keys are more than the bound
    too_many_keys,    ///< an object has more keys than the bound
};

struct json_limits {
    int depth;           ///< of lists and objects, one in another
    std::size_t values;  ///< values and keys together
    /// Of one object. Whoever parses into objects that keep the order of their keys needs this
    /// bound: such an object is searched for each key that is added.
    std::size_t keys = std::numeric_limits<std::size_t>::max();
};

/// Reads `text` without keeping any of it, up to the first fault, in time in proportion to it.
/// (The parser's own way to refuse values takes the square of it: it goes through a list again for
/// each object in it.)
json_fault check_json(std::string_view text, const json_limits& limits);

/// The same in words that follow a name, like "is not valid JSON near byte 12"; empty without a
/// fault.
std::string json_fault_words(std::string_view text, const json_limits& limits);

/// JSON `text` with null for each list and object that is nested deeper; what is in them is not
/// looked at. Takes time in proportion to it, too.
std::string shallow_json(std::string_view text, int deepest);

}  // namespace tandem::wire
