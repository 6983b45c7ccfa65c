#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tandem::testing {

/// Reads the streams of a token_hose with epoll and recv, and does nothing with them but to look
/// for the end of a sentence: nobody can have it for less, or sooner, on this machine. Returns when
/// each stream had each sentence's end. Throws std::system_error.
std::vector<std::vector<std::chrono::steady_clock::time_point>> read_bare(
    const std::vector<std::string>& urls, int streams, int tokens,
    std::chrono::steady_clock::duration begin_within);

}  // namespace tandem::testing
