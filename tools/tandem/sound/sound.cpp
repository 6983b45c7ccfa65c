#include "sound/sound.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::command {
namespace {

// Samples up to this value count as silence: 50 dB below full scale, above the noise and echo of
// synthesizers.
constexpr int speech_threshold = 100;
constexpr auto margin = std::chrono::milliseconds(5);
constexpr double ns_per_second = 1e9;

bool is_speech(std::int16_t sample) noexcept {
    return sample > speech_threshold || sample < -speech_threshold;
}

}  // namespace

duration samples_to_duration(std::int64_t samples, int rate) noexcept {
    return duration(std::llround(static_cast<double>(samples) * (ns_per_second / rate)));
}

std::int64_t duration_to_samples(duration time, int rate) noexcept {
    return std::llround(static_cast<double>(time.count()) * (rate / ns_per_second));
}

audio_clip trim_silence(audio_clip s) {
    auto& all = s.samples;
    const auto first = std::find_if(all.begin(), all.end(), is_speech);
    const auto last = std::find_if(all.rbegin(), all.rend(), is_speech).base();
    if (first == all.end()) return {.rate = s.rate};
    const auto kept = static_cast<std::ptrdiff_t>(duration_to_samples(margin, s.rate));
    all.erase(last + std::min(kept, all.end() - last), all.end());
    all.erase(all.begin(), first - std::min(kept, first - all.begin()));
    return s;
}

}  // namespace tandem::command
