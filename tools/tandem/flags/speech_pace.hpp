#pragma once

#include "tandem/duration.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tandem::command {

/// How long a text takes to speak, instead of a real TTS.
struct speech_pace {
    /// 0 = no time at all.
    double words_per_minute = 0;
};

/// "none" or "wpm=N" with N over 0, to 100,000; nothing for another text.
std::optional<speech_pace> parse_speech_pace(std::string_view text);

/// Words between white space; writing without spaces (Chinese, Japanese, Thai and the like) counts
/// as a word for two characters.
double count_words(std::string_view text);

/// At most 1000 h.
duration speaking_time(speech_pace pace, std::string_view text);

/// Why a chunk with a longer `speech` than `continue_timeout` ends its reply, and what to set.
std::string too_slow_text(speech_pace pace, duration speech, duration continue_timeout);

}  // namespace tandem::command
