#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// What is to be said of a language whose words the sentence rules do not know; empty for one that
/// they know, or need no words of, and for no language.
std::string language_note(std::string_view tag);

}  // namespace tandem::command
