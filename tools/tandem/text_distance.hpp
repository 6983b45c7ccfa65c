#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::command {

/// Steps from one text to the other: a byte put in, left out or changed.
std::size_t distance(std::string_view a, std::string_view b);

}  // namespace tandem::command
