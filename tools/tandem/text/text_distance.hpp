#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Steps from one text to the other: a byte put in, left out or changed.
std::size_t distance(std::string_view a, std::string_view b);

/// The one of `names` that is most like `given`; empty if none is.
std::string similar_name(const std::vector<std::string>& names, std::string_view given);

}  // namespace tandem::command
