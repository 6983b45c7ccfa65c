#pragma once

#include "tandem/duration.hpp"

#include <cstdint>
#include <vector>

namespace tandem::command {

/// Samples of one channel.
struct sound {
    /// Samples a second; over 0.
    int rate = 22050;
    std::vector<std::int16_t> samples{};
};

/// How long so many samples take, and how many samples a time has; rounded to the nearest.
duration time_of(std::int64_t samples, int rate) noexcept;
std::int64_t samples_in(duration time, int rate) noexcept;

inline duration length_of(const sound& s) noexcept {
    return time_of(static_cast<std::int64_t>(s.samples.size()), s.rate);
}

/// Without the silence at both ends, except 5 ms, in which a voice fades: synthesizers leave up to
/// half a second of it, which would come on top of the pause between two sentences. Nothing is left
/// of a sound that is all silence.
sound trimmed(sound s);

}  // namespace tandem::command
