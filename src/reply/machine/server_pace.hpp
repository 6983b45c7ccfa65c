#pragma once

#include "base/time.hpp"

#include <chrono>

// How quickly a server does what follows from what it did.
namespace tandem::detail {

/// A server with an idle slot begins a request within some round trips; one that takes longer holds
/// it back.
inline constexpr duration late_beginning = std::chrono::milliseconds(500);

/// It sends what is left before a stop word, and the end of the stream right after it.
inline constexpr duration end_follows = std::chrono::milliseconds(100);

}  // namespace tandem::detail
