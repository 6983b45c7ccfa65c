#pragma once

#include <cstddef>
#include <string_view>

// Where a text can be divided when it must be, and no sentence ends in it.
namespace tandem::text {

/// Offset after the last clause: after a comma, semicolon, colon or dash of any script (for scripts
/// without spaces: a full stop too) and the closing quotes after it. A mark of a script with spaces
/// needs white space after it; marks between digits divide nothing. 0 if there is none.
std::size_t last_clause_end(std::string_view text) noexcept;

/// Offset of the white space before the last word, or at the end of the text, if something comes
/// before it; else 0. Spaces that forbid a line break are part of a word.
std::size_t last_word_start(std::string_view text) noexcept;

}  // namespace tandem::text
