#pragma once

#include <string>
#include <string_view>
#include <vector>

// Formats untrusted text for a terminal. Columns are those of wcwidth() in a UTF-8 locale. Invalid
// UTF-8 is shown as U+FFFD, and so are control characters, because the terminal would obey them.
namespace tandem::command {

/// Returns the width of `text` in columns.
int count_columns(std::string_view text);

/// Pads `text` with spaces to `columns`.
std::string pad_to_columns(std::string text, int columns);

/// Returns `text` on one line of at most `width` columns. White space becomes a space, and "…"
/// marks omitted text.
std::string truncate_to_width(std::string_view text, int width);

/// Wraps `text` at `width` columns: at spaces, at wide characters, or inside a word that is too
/// long. Keeps line breaks and drops spaces at line ends. The first line starts at `column`.
std::vector<std::string> wrap_text(std::string_view text, int width, int column = 0);

}  // namespace tandem::command
