#include "sound/sound_recording.hpp"

#include "sound/sound.hpp"

#include <algorithm>

namespace tandem::command {
namespace {
// Shortens long silences, so that the file stays small while the user is absent.
constexpr std::int64_t max_silence_s = 600;
}  // namespace

auto sound_timeline::add(std::int64_t samples, time_point from, time_point to) noexcept -> piece {
    const auto silence = std::max<std::int64_t>(duration_to_samples(from - begun_, rate_) - at_, 0);
    const auto heard = std::clamp<std::int64_t>(duration_to_samples(to - from, rate_), 0, samples);
    at_ += silence + heard;
    return {silence, heard};
}

void sound_recording::add(const audio_clip& s, time_point from, time_point to) {
    if (!track_) {
        track_.emplace(begun_, s.rate);
        file_.set_rate(s.rate);
    }
    const auto p = track_->add(static_cast<std::int64_t>(s.samples.size()), from, to);
    file_.write_silence(std::min(p.silence, max_silence_s * s.rate));
    file_.write(s, p.samples);
}

}  // namespace tandem::command
