#pragma once

#include "text/speech/speech_cleaner.hpp"

#include "tandem/chunk.hpp"

#include <string_view>
#include <utility>

namespace tandem::text {

/// Makes the text to speak of each chunk of one reply: cleans it, removes marks for the voice, and
/// replaces words.
class speech_text_maker {
 public:
    explicit speech_text_maker(speech_options options) : cleaner_(std::move(options)) {}

    /// Sets the speech, its runs and its marks from `c.text`.
    void fill_speech(chunk& c);
    /// Advances over text that has already been spoken.
    void skip_spoken_text(std::string_view spoken) { cleaner_.clean(spoken); }

 private:
    speech_cleaner cleaner_;
    bool was_cut_ = false;  // the last chunk ended inside a word
};

}  // namespace tandem::text
