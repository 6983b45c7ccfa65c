#include "text/word_list.hpp"

#include "text/characters/white_space.hpp"

#include <algorithm>

namespace tandem::command {

word_list parse_word_list(std::string_view text) {
    word_list list;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        if (const auto word = text::trim_white_space(text.substr(0, end)); !word.empty()) {
            list.words.emplace_back(word);
            list.lines.push_back(number);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

}  // namespace tandem::command
