#pragma once

#include "base/time.hpp"

#include <cstdint>

namespace tandem::command {

/// Where sounds lie in a sound recording that shows what a listener heard, silence included. Pure.
class sound_track {
 public:
    sound_track(time_point begun, int rate) noexcept : begun_(begun), rate_(rate) {}

    /// What comes next in it: so many samples of silence, then so many of the sound.
    struct piece {
        std::int64_t silence = 0;
        std::int64_t samples = 0;
    };
    /// Of a sound with so many samples that was heard from `from` until `to`. One that began before
    /// the end of the one before comes after that.
    piece add(std::int64_t samples, time_point from, time_point to) noexcept;

 private:
    time_point begun_;
    int rate_;
    std::int64_t at_ = 0;
};

}  // namespace tandem::command
