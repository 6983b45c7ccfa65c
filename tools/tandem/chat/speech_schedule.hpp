#pragma once

#include "base/time.hpp"

#include "tandem/chunk.hpp"

#include <optional>

namespace tandem::command {

/// When the sounds of one reply begin and end, and how much of one was heard. Pure.
class speech_schedule {
 public:
    /// The silence after a chunk that ends a sentence; after others there is none.
    explicit speech_schedule(duration sentence_pause) : pause_(sentence_pause) {}

    /// When the next sound begins that is ready at `now`.
    time_point start_of_next(time_point now) const noexcept;
    /// It begins then, and takes so long.
    void began(time_point at, duration length) noexcept;
    /// When it ends by its length. Precondition: one began.
    time_point end() const noexcept { return began_ + length_; }
    /// It was heard to its end, after which `b` is.
    void ended(time_point at, boundary b) noexcept;

    bool is_speaking() const noexcept { return speaking_; }
    /// Which share of the sound was heard by then, 0 to 1; 0 if none is spoken.
    double share_heard(time_point now) const noexcept;
    /// The silence before the sound that began last; nothing before the first one.
    std::optional<duration> silence() const noexcept { return silence_; }
    std::optional<time_point> first_began() const noexcept { return first_began_; }

 private:
    duration pause_;
    bool speaking_ = false;
    time_point began_{};
    duration length_{};
    std::optional<time_point> ended_;
    duration pause_behind_{};
    std::optional<duration> silence_;
    std::optional<time_point> first_began_;
};

}  // namespace tandem::command
