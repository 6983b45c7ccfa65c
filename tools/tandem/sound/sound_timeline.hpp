#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace tandem::command {

/// Positions sounds and silence in a recording of what a listener heard. Pure.
class sound_timeline {
 public:
    sound_timeline(time_point begun, int rate) noexcept : begun_(begun), rate_(rate) {}

    /// The next part of the recording: silence, then samples of the sound.
    struct piece {
        std::int64_t silence = 0;
        std::int64_t samples = 0;
    };
    /// Places a sound that was heard from `from` to `to`. A sound that starts before the end of the
    /// previous one is placed after it.
    piece add(std::int64_t samples, time_point from, time_point to) noexcept;

 private:
    time_point begun_;
    int rate_;
    std::int64_t at_ = 0;
};

}  // namespace tandem::command
