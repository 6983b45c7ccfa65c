#pragma once

#include "text/speech/speech_text_maker.hpp"

#include "tandem/chunk.hpp"

#include <string>
#include <utility>

namespace tandem::conversations {

/// A chunk with the same text and speech.
inline chunk chunk_of(chunk_id id, const std::string& text) {
    return {.id = id, .text = text, .speech = text};
}

/// A chunk whose speech is made with these options.
inline chunk spoken_chunk_of(chunk_id id, const std::string& text,
                             text::speech_options options = {}) {
    chunk c{.id = id, .text = text};
    text::speech_text_maker(std::move(options)).fill_speech(c);
    return c;
}

}  // namespace tandem::conversations
