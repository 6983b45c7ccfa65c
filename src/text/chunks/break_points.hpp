#pragma once

#include <cstddef>
#include <string_view>

// Finds places to split text that contains no sentence end.
namespace tandem::text {

/// Offset after the last clause: after a comma, semicolon, colon or dash of any script (in scripts
/// without spaces also a full stop) and any closing quotes. In scripts with spaces, white space
/// must follow the mark. Marks between digits are ignored. 0 if there is none.
std::size_t find_last_clause_end(std::string_view text) noexcept;

/// Offset after the last word that white space follows; 0 if there is none. Non-breaking spaces are
/// part of a word.
std::size_t find_last_word_end(std::string_view text) noexcept;

}  // namespace tandem::text
