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
    too_many_values,  ///< values and keys, or the keys of one object, are more than the bound
};

/// Reads `text` without keeping any of it, up to the first fault, in time in proportion to it.
/// (The parser's own way to refuse values takes the square of it: it goes through a list again for
/// each object in it.) Whoever parses into objects that keep the order of their keys needs the
/// bound of these: such an object is searched for each key that is added.
json_fault check_json(std::string_view text, int deepest, std::size_t most_values,
                      std::size_t most_keys = std::numeric_limits<std::size_t>::max());

/// JSON `text` with null for each list and object that is nested deeper; what is in them is not
/// looked at. Takes time in proportion to it, too.
std::string shallow_json(std::string_view text, int deepest);

}  // namespace tandem::wire
