#pragma once

#include "tandem/duration.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A simulated speaking rate that replaces a real TTS.
struct speech_pace {
    /// 0 = no speaking time.
    double words_per_minute = 0;
};

/// Parses "none" or "wpm=N" with 0 < N <= 100,000.
std::optional<speech_pace> parse_speech_pace(std::string_view text);

/// A word, or a character of a script without spaces (Chinese, Japanese, Thai and similar). Such a
/// character counts as half a word.
struct spoken_word {
    std::size_t begin = 0;
    std::size_t end = 0;
    double words = 1;
};
std::vector<spoken_word> split_words(std::string_view text);

/// Counts words separated by white space. In scripts without spaces (Chinese, Japanese, Thai and
/// similar), two characters count as a word.
double count_words(std::string_view text);

/// Returns the speaking time, at most 1000 h.
duration speaking_time(speech_pace pace, std::string_view text);

/// Explains that a chunk takes longer to speak (`speech`) than `continue_timeout`, which ends the
/// reply, and which flags to change.
std::string describe_too_slow_speech(speech_pace pace, duration speech, duration continue_timeout);

}  // namespace tandem::command
