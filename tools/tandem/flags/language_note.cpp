#include "flags/language_note.hpp"

#include "text/sentences/word_lists.hpp"

#include <fmt/format.h>

namespace tandem::command {

std::string language_note(std::string_view tag) {
    if (tag.empty() || text::lexicon::serves(tag)) return {};
    return fmt::format(
        "the language {} is unknown; the ends of its sentences are found with the words of English",
        tag);
}

}  // namespace tandem::command
