#pragma once

#include "sound/sound_track.hpp"
#include "sound/wav_file.hpp"

#include <optional>
#include <string>

namespace tandem::command {

/// A WAV file of what a listener heard since `begun`, silence at its real length. The first sound
/// decides its rate.
class sound_recording {
 public:
    sound_recording(const std::string& path, time_point begun) : file_(path), begun_(begun) {}

    /// `s` was heard from `from` until `to`. Precondition: `s` has the rate of the first one.
    void add(const sound& s, time_point from, time_point to);
    const std::string& failure() const noexcept { return file_.failure(); }

 private:
    wav_file file_;
    time_point begun_;
    std::optional<sound_track> track_;
};

}  // namespace tandem::command
