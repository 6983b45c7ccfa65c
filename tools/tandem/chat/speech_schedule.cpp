#include "chat/speech_schedule.hpp"

#include <algorithm>

namespace tandem::command {

time_point speech_schedule::next_sound_start(time_point now) const noexcept {
    return ended_ ? std::max(now, *ended_ + pause_after_) : now;
}

void speech_schedule::record_start(time_point at, duration length) noexcept {
    if (const auto before = ended_ ? ended_ : previous_end_) silence_ = at - *before;
    if (!first_began_) first_began_ = at;
    speaking_ = true;
    began_ = at;
    length_ = length;
}

void speech_schedule::record_end(time_point at, boundary b) noexcept {
    speaking_ = false;
    ended_ = at;
    pause_after_ = b == boundary::sentence ? pause_ : duration{};
}

double speech_schedule::fraction_heard(time_point now) const noexcept {
    if (!speaking_) return 0;
    if (now >= end()) return 1;
    return std::max(0.0, to_ms(now - began_) / to_ms(length_));
}

}  // namespace tandem::command
