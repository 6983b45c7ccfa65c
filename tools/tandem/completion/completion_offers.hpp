#pragma once

#include "completion/completion_words.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// What `tandem __complete` prints: what fits in the place of the last of the words after `tandem`,
/// one a line, with a tab before what it means; or ":files" or ":folders" where a path does.
std::string completion_offers(const completion_words& all, const std::vector<std::string>& typed);

}  // namespace tandem::command
