#pragma once

#include "tandem/duration.hpp"

#include <cstdint>
#include <vector>

namespace tandem::command {

/// Mono samples.
struct sound {
    /// Samples per second; must be positive.
    int rate = 22050;
    std::vector<std::int16_t> samples{};
};

/// Converts between a number of samples and a duration; rounds to nearest.
duration time_of(std::int64_t samples, int rate) noexcept;
std::int64_t samples_in(duration time, int rate) noexcept;

inline duration length_of(const sound& s) noexcept {
    return time_of(static_cast<std::int64_t>(s.samples.size()), s.rate);
}

/// Removes leading and trailing silence except 5 ms, so that a voice can fade. Synthesisers add up
/// to half a second, which would lengthen the pause between sentences. The result is empty if the
/// sound is all silence.
sound trimmed(sound s);

}  // namespace tandem::command
