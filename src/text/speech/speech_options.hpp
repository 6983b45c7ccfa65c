#pragma once

#include "tandem/config.hpp"

#include <string>
#include <vector>

namespace tandem::text {

/// Fields of speech_config.
struct speech_options {
    emoji_speech emoji = emoji_speech::removed;
    code_speech code = code_speech::skipped;
    url_speech urls = url_speech::kept;
    speech_form form = speech_form::clean;
    mark_speech marks = mark_speech::drop;
    std::vector<std::string> mark_tags{};
    speech_replacements replace{};
};

}  // namespace tandem::text
