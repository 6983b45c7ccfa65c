#pragma once

#include "base/time.hpp"
#include "sound/wav_file.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tandem::command {

/// Computes the positions of sounds and silences in a recording of what a listener heard. Pure.
class sound_timeline {
 public:
    sound_timeline(time_point begun, int rate) noexcept : begun_(begun), rate_(rate) {}

    /// The next part of the recording: silence, followed by samples of the sound.
    struct piece {
        std::int64_t silence = 0;
        std::int64_t samples = 0;
    };
    /// Places a sound that was heard from `from` to `to`. A sound that starts before the end of the
    /// previous one is placed after it.
    piece add(std::int64_t samples, time_point from, time_point to) noexcept;

 private:
    time_point begun_;
    int rate_;
    std::int64_t at_ = 0;
};

/// A WAV file of what a listener heard since `begun`, including silences, each of at most 10
/// minutes. The first sound determines the sample rate.
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
