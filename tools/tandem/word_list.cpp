#include "word_list.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

std::string_view trimmed(std::string_view line) {
    constexpr std::string_view space = " \t\r\v\f";
    const auto first = line.find_first_not_of(space);
    if (first == std::string_view::npos) return {};
    return line.substr(first, line.find_last_not_of(space) + 1 - first);
}

}  // namespace

word_list parse_word_list(std::string_view text) {
    word_list list;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = std::min(text.find('\n'), text.size());
        if (const auto word = trimmed(text.substr(0, end)); !word.empty()) {
            list.words.emplace_back(word);
            list.lines.push_back(number);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return list;
}

}  // namespace tandem::command
