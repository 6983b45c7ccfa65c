#pragma once

#include "tandem/chunk.hpp"

#include <string>
#include <utility>

namespace tandem::conversations {

inline chunk chunk_of(chunk_id id, std::string text, std::string speech) {
    chunk c;
    c.id = id;
    c.text = std::move(text);
    c.speech = std::move(speech);
    return c;
}

/// A chunk with the same text and speech.
inline chunk chunk_of(chunk_id id, const std::string& text) {
    return chunk_of(id, text, text);
}

}  // namespace tandem::conversations
