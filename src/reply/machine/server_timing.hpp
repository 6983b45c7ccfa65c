#pragma once

#include "base/time.hpp"

#include <chrono>

// Timing assumptions about servers.
namespace tandem::detail {

/// A server with an idle slot starts a request within a few round trips; a server that takes longer
/// is holding the request back.
inline constexpr duration late_start_threshold = std::chrono::milliseconds(500);

/// The time within which a server sends the text that remains before a stop word, and then ends the
/// stream.
inline constexpr duration stop_word_end_delay = std::chrono::milliseconds(100);

}  // namespace tandem::detail
