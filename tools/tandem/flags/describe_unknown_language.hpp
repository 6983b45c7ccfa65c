#pragma once

#include <string>
#include <string_view>

namespace tandem::command {

/// Returns a note if the sentence rules do not support this language; empty if they do or if `tag`
/// is empty.
std::string describe_unknown_language(std::string_view tag);

}  // namespace tandem::command
