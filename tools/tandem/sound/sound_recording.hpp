#pragma once

#include "sound/sound_timeline.hpp"
#include "sound/wav_file.hpp"

#include <optional>
#include <string>

namespace tandem::command {

/// A WAV file of what a listener heard since `begun`, including silence of up to 10 minutes at a
/// time. The first sound determines the sample rate.
class sound_recording {
 public:
    sound_recording(const std::string& path, time_point begun) : file_(path), begun_(begun) {}

    /// Adds `s`, heard from `from` to `to`. Precondition: its rate is that of the first sound.
    void add(const audio_clip& s, time_point from, time_point to);
    const std::string& failure() const noexcept { return file_.failure(); }

 private:
    wav_file file_;
    time_point begun_;
    std::optional<sound_timeline> track_;
};

}  // namespace tandem::command
