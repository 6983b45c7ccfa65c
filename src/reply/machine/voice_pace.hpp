#pragma once

#include "base/time.hpp"

#include <cstddef>

namespace tandem::detail {

/// The pace of a voice, learned from the time between the hand-over and the continue of each chunk.
/// It consists of a start-up time and a time per character. Later chunks have more weight. The
/// initial pace is 170 words a minute, which is usual for English speech. Pure.
class voice_pace {
 public:
    /// How long the voice takes to speak this many characters.
    duration estimate(std::size_t characters) const noexcept;
    /// A chunk of this many characters was spoken in this time.
    void learn(std::size_t characters, duration took) noexcept;

 private:
    // Weighted sums for a least-squares fit of y = start_up + x * per_character, in seconds. The
    // initial values stand for two chunks of 40 and 160 characters at 15 characters/s, each with
    // half the weight of a new chunk.
    double weight_ = 1;
    double x_ = 100;
    double y_ = 100 / 15.0;
    double xx_ = (40 * 40 + 160 * 160) / 2.0;
    double xy_ = (40 * 40 + 160 * 160) / 2.0 / 15.0;
};

}  // namespace tandem::detail
