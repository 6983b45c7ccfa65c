#include "flags/describe_unknown_language.hpp"

#include "text/sentences/word_lists.hpp"

#include <fmt/format.h>

namespace tandem::command {

std::string describe_unknown_language(std::string_view tag) {
    if (tag.empty() || text::lexicon::supports_language(tag)) return {};
    return fmt::format("the language {} is unknown; sentence ends are detected by English rules",
                       tag);
}

}  // namespace tandem::command
