#include "completion/completion_script.hpp"

namespace tandem::command {

std::string completion_script(const completion_words& words, shell s) {
    switch (s) {
        case shell::bash:
            return bash_completion(words);
        case shell::zsh:
            return zsh_completion(words);
        case shell::fish:
            return fish_completion(words);
    }
    return {};
}

}  // namespace tandem::command
