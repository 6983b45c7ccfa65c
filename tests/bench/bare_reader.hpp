#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace tandem::testing {

/// Reads the streams of a token_hose with epoll and recv, and only searches for the ends of
/// sentences. No client on this machine can find the ends sooner or at a lower cost. Returns the
/// times of the sentence ends once all streams have ended. Throws std::system_error.
std::vector<std::vector<std::chrono::steady_clock::time_point>> read_with_epoll(
    const std::vector<std::string>& urls, int streams, int tokens,
    std::chrono::steady_clock::duration begin_within);

}  // namespace tandem::testing
