#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::wire {

/// Longest text of a server that is passed on in an error; more is cut off.
inline constexpr std::size_t max_words_bytes = 4096;

/// What a server said, safe to log: valid UTF-8 in one line, control characters made spaces.
std::string server_words(std::string_view bytes);

}  // namespace tandem::wire
