#pragma once

#include "tandem/duration.hpp"

#include <optional>
#include <string_view>

namespace tandem::command {

/// How long a text takes to speak, in place of a real TTS.
struct speech_pace {
    /// 0 = no time at all.
    double words_per_minute = 0;
};

/// "none" or "wpm=N" with N over 0, to 100,000; nothing for another text.
std::optional<speech_pace> parse_speech_pace(std::string_view text);

/// Words between white space; writing without spaces (Chinese, Japanese, Thai and the like) counts
/// as a word for two characters.
double count_words(std::string_view text);

duration speaking_time(speech_pace pace, std::string_view text);

}  // namespace tandem::command
