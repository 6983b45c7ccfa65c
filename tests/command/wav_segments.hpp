#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace tandem::testing {

/// A part of a WAV file that contains only speech or only silence.
struct sound_segment {
    bool is_speech = false;
    double at_ms = 0;
    double ms = 0;
};

/// Divides a mono WAV file of 16-bit samples into speech and silence, in windows of 5 ms. A window
/// counts as speech if its root mean square exceeds that of a whisper. A silence shorter than
/// `min_silence_ms` is part of the surrounding speech.
inline std::vector<sound_segment> split_wav_at_silence(const std::string& path,
                                                       double min_silence_ms) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const auto data = bytes.find("data");
    if (data == std::string::npos) return {};
    std::uint32_t rate = 0;
    std::uint32_t size = 0;
    std::memcpy(&rate, bytes.data() + 24, sizeof rate);
    std::memcpy(&size, bytes.data() + data + 4, sizeof size);
    // The file has no sound, or its header is wrong.
    if (size == 0 || data + 8 + size > bytes.size()) return {};
    std::vector<std::int16_t> samples(size / sizeof(std::int16_t));
    std::memcpy(samples.data(), bytes.data() + data + 8, size);

    constexpr double window_ms = 5;
    constexpr double whisper = 100;
    const auto window = static_cast<std::size_t>(rate * window_ms / 1000);
    std::vector<sound_segment> found;
    const auto add = [&](bool is_speech, double at_ms, double ms) {
        if (!found.empty() && found.back().is_speech == is_speech)
            found.back().ms += ms;
        else
            found.push_back({is_speech, at_ms, ms});
    };
    for (std::size_t at = 0; at + window <= samples.size(); at += window) {
        double power = 0;
        for (std::size_t i = at; i < at + window; ++i) power += double(samples[i]) * samples[i];
        add(power / static_cast<double>(window) > whisper * whisper,
            static_cast<double>(at) * 1000 / rate, window_ms);
    }
    std::vector<sound_segment> joined;
    for (const auto& s : found) {
        const bool is_gap = !s.is_speech && s.ms < min_silence_ms && !joined.empty();
        if (!joined.empty() && (is_gap || joined.back().is_speech == s.is_speech))
            joined.back().ms += s.ms;
        else
            joined.push_back(s);
    }
    return joined;
}

}  // namespace tandem::testing
