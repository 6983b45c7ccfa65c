#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Returns the edit distance in bytes: insertions, deletions, substitutions and swaps of
/// neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns the most similar name, or an empty string if none is similar.
std::string find_similar_name(const std::vector<std::string>& names, std::string_view given);

}  // namespace tandem::command
