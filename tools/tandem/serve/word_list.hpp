#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Words and phrases of a file, one a line, and the number of each one's line, from 1 on.
struct word_list {
    std::vector<std::string> words{};
    std::vector<std::size_t> lines{};
};

/// White space around words counts for nothing, and empty lines neither.
word_list parse_word_list(std::string_view text);

}  // namespace tandem::command
