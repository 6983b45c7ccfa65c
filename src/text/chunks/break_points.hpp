#pragma once

#include <cstddef>
#include <string_view>

// Finds places where text without a sentence end can be split.
namespace tandem::text {

/// Offset of the end of the last clause; 0 if there is none. A clause ends after a comma,
/// semicolon, colon or dash of any script, or a full stop of a script without spaces, and any
/// closing quotes. In scripts with spaces, white space must follow the mark, unless it is a dash.
/// Marks between digits are ignored.
std::size_t find_last_clause_end(std::string_view text) noexcept;

/// Offset after the last word that white space follows; 0 if there is none. Non-breaking spaces are
/// part of a word.
std::size_t find_last_word_end(std::string_view text) noexcept;

}  // namespace tandem::text
