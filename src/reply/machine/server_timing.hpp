#pragma once

#include "base/time.hpp"

#include <chrono>

// Timing assumptions about servers.
namespace tandem::detail {

/// A server with an idle slot starts a request within a few round trips; one that takes longer is
/// holding it back.
inline constexpr duration late_start_threshold = std::chrono::milliseconds(500);

/// The time within which a server sends the text left before a stop word, and the end of the stream
/// after it.
inline constexpr duration stop_word_end_delay = std::chrono::milliseconds(100);

}  // namespace tandem::detail
