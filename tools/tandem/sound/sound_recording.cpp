#include "sound/sound_recording.hpp"

#include <algorithm>
#include <cstdint>

namespace tandem::command {
namespace {
// Limits a pause, so that a long absence of the user does not fill the file.
constexpr std::int64_t longest_silence_s = 600;
}  // namespace

void sound_recording::add(const audio_clip& s, time_point from, time_point to) {
    if (!track_) {
        track_.emplace(begun_, s.rate);
        file_.set_rate(s.rate);
    }
    const auto p = track_->add(static_cast<std::int64_t>(s.samples.size()), from, to);
    file_.write_silence(std::min(p.silence, longest_silence_s * s.rate));
    file_.write(s, p.samples);
}

}  // namespace tandem::command
