#pragma once

#include "sound/sound.hpp"

#include <cstddef>
#include <memory>
#include <sndfile.h>
#include <string>

namespace tandem::command {

/// What a synthesizer wrote, or why it is no use.
struct decoded_sound {
    sound value{};
    std::string fault{};
};

/// Reads a WAV file, or one of the other formats that libsndfile knows (FLAC, Ogg, AIFF, …), from
/// its bytes. The length that a WAV header tells may be wrong, as where a program writes into a
/// pipe: then the sound is as long as the bytes are. Several channels are mixed to one; over 10 min
/// are refused.
decoded_sound decode_sound(const std::string& bytes);

/// The bytes of a WAV file with this sound, 16 bit.
std::string wav_bytes(const sound& s);

/// A WAV file that is being written: one channel, 16 bit. Its header is right at any time.
class wav_file {
 public:
    /// Creates the file, or empties it; failure() tells if that could not be done.
    explicit wav_file(const std::string& path);
    ~wav_file();
    wav_file(const wav_file&) = delete;
    wav_file& operator=(const wav_file&) = delete;

    /// Samples a second, before anything is written; the first call counts.
    void set_rate(int rate);
    void write_silence(std::int64_t samples);
    void write(const sound& s, std::int64_t samples);
    /// Why it could not be written, in words; empty = it could.
    const std::string& failure() const noexcept { return failure_; }

 private:
    void write(const std::int16_t* samples, std::int64_t count);

    std::string path_;
    int fd_;
    std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file_;
    std::string failure_;
    std::int64_t written_ = 0;  // samples
};

}  // namespace tandem::command
