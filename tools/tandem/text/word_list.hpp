#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// The words and phrases of a file, and the line number of each, from 1.
struct word_list {
    std::vector<std::string> words{};
    std::vector<std::size_t> lines{};
};

/// Parses one word or phrase per line. Ignores surrounding white space and empty lines.
word_list parse_word_list(std::string_view text);

}  // namespace tandem::command
