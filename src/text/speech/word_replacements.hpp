#pragma once

#include "text/speech/speech_map.hpp"
#include "text/speech/speech_options.hpp"

#include <string_view>
#include <vector>

namespace tandem::text {

/// Whether a chunk begins or ends inside a word.
struct word_edges {
    bool at_start = false;
    bool at_end = false;
};

/// The edits that replace whole words: where a word to replace begins or ends with a letter or
/// digit, no other letter or digit may touch it. Of several words at one place, the longest is
/// replaced. Words that would touch a letter or digit get a space before or after them. Words
/// inside kept marks are not replaced. Stops once the edits have added 64 KiB.
std::vector<speech_edit> find_replacements(std::string_view speech, const speech_options& options,
                                           word_edges edges = {});

}  // namespace tandem::text
