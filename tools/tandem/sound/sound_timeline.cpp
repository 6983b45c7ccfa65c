#include "sound/sound_timeline.hpp"

#include "sound/sound.hpp"

#include <algorithm>

namespace tandem::command {

auto sound_timeline::add(std::int64_t samples, time_point from, time_point to) noexcept -> piece {
    const auto silence = std::max<std::int64_t>(duration_to_samples(from - begun_, rate_) - at_, 0);
    const auto heard = std::clamp<std::int64_t>(duration_to_samples(to - from, rate_), 0, samples);
    at_ += silence + heard;
    return {silence, heard};
}

}  // namespace tandem::command
