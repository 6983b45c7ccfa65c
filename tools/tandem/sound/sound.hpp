#pragma once

#include "tandem/duration.hpp"

#include <cstdint>
#include <vector>

namespace tandem::command {

/// Mono samples.
struct audio_clip {
    /// Samples per second; must be positive.
    int rate = 22050;
    std::vector<std::int16_t> samples{};
};

/// Converts between a number of samples and a duration; rounds to nearest.
duration samples_to_duration(std::int64_t samples, int rate) noexcept;
std::int64_t duration_to_samples(duration time, int rate) noexcept;

inline duration get_duration(const audio_clip& s) noexcept {
    return samples_to_duration(static_cast<std::int64_t>(s.samples.size()), s.rate);
}

/// Removes leading and trailing silence except for 5 ms, in which the voice fades in and out.
/// Synthesizers add up to half a second of silence, which would lengthen the pause between
/// sentences. The result is empty if the sound is all silence.
audio_clip trim_silence(audio_clip s);

}  // namespace tandem::command
