#pragma once

#include "base/time.hpp"

#include "tandem/chunk.hpp"

#include <optional>

namespace tandem::command {

/// Start and end times of the sounds of one reply, and the share of the current sound that was
/// heard. Pure.
class speech_schedule {
 public:
    /// `sentence_pause` is the silence after a chunk that ends a sentence; no silence follows other
    /// chunks. `previous_end`: the end of the turn's last sound before this reply.
    explicit speech_schedule(duration sentence_pause, std::optional<time_point> previous_end = {})
        : pause_(sentence_pause), previous_end_(previous_end) {}

    /// Returns the start time of the next sound, provided that the sound is ready at `now`.
    time_point next_sound_start(time_point now) const noexcept;
    /// Records that a sound of this length began.
    void record_start(time_point at, duration length) noexcept;
    /// Returns the scheduled end of the sound. Precondition: a sound began.
    time_point end() const noexcept { return began_ + length_; }
    /// Records that the sound ended. `b`: the boundary of its chunk, which determines the pause.
    void record_end(time_point at, boundary b) noexcept;

    bool is_speaking() const noexcept { return speaking_; }
    /// Returns the share of the current sound that was heard by `now`, 0 to 1; 0 if there is none.
    double fraction_heard(time_point now) const noexcept;
    /// Returns the silence before the latest sound; nothing for the first sound of a turn.
    std::optional<duration> silence() const noexcept { return silence_; }
    /// Returns the end of the last sound that ended.
    std::optional<time_point> last_end() const noexcept { return ended_; }
    std::optional<time_point> first_began() const noexcept { return first_began_; }

 private:
    duration pause_;
    std::optional<time_point> previous_end_;
    bool speaking_ = false;
    time_point began_{};
    duration length_{};
    std::optional<time_point> ended_;
    duration pause_after_{};
    std::optional<duration> silence_;
    std::optional<time_point> first_began_;
};

}  // namespace tandem::command
