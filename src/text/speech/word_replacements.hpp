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

/// The edits that replace whole words: a word that begins or ends with a letter or digit is not
/// replaced where another letter or digit touches that end. Of several words at one place, the
/// longest is replaced. A replacement that would touch a letter or digit gets a space before or
/// after it. Words inside kept marks are not replaced. Stops once the edits have added 64 KiB.
std::vector<speech_edit> find_replacements(std::string_view speech, const speech_options& options,
                                           word_edges edges = {});

}  // namespace tandem::text
