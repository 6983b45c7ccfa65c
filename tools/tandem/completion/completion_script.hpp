#pragma once

#include "completion/completion_words.hpp"

#include <string>

namespace tandem::command {

enum class shell { bash, zsh, fish };

/// The text that makes a shell complete these words behind `tandem`.
std::string completion_script(const completion_words& words, shell s);

std::string bash_completion(const completion_words& words);
std::string zsh_completion(const completion_words& words);
std::string fish_completion(const completion_words& words);

}  // namespace tandem::command
