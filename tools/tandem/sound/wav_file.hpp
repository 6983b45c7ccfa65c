#pragma once

#include "sound/sound.hpp"

#include <memory>
#include <sndfile.h>
#include <string>

namespace tandem::command {

struct decoded_sound {
    audio_clip value{};
    std::string fault{};
};

/// Decodes a WAV file or another format of libsndfile (FLAC, Ogg, AIFF, …). If the length in the
/// WAV header is wrong, as in the output of a program to a pipe, the number of bytes determines the
/// length. Mixes channels to mono. Rejects sounds of more than 10 minutes.
decoded_sound decode_sound(const std::string& bytes);

/// Returns the sound as a 16-bit WAV file.
std::string wav_bytes(const audio_clip& s);

/// Writes a WAV file: mono, 16 bit. The header is always up to date.
class wav_file {
 public:
    /// Creates the file, or truncates an existing WAV file. failure() reports errors.
    explicit wav_file(const std::string& path);
    ~wav_file();
    wav_file(const wav_file&) = delete;
    wav_file& operator=(const wav_file&) = delete;

    /// Sets the sample rate before the first write; later calls have no effect.
    void set_rate(int rate);
    void write_silence(std::int64_t samples);
    void write(const audio_clip& s, std::int64_t samples);
    /// The error; empty = none.
    const std::string& failure() const noexcept { return failure_; }

 private:
    void write(const std::int16_t* samples, std::int64_t count);

    std::string path_;
    int fd_;
    std::unique_ptr<SNDFILE, int (*)(SNDFILE*)> file_;
    std::string failure_;
    std::int64_t written_ = 0;  // in samples
};

}  // namespace tandem::command
