#pragma once

#include <string>
#include <string_view>
#include <vector>

// Text of any origin made fit for a terminal. Columns are those of a monospaced terminal, as libc
// knows them in a UTF-8 locale. Control characters, which could steer the terminal, and bytes that
// are not UTF-8 are shown as U+FFFD.
namespace tandem::command {

/// Columns that `text` takes.
int columns_of(std::string_view text);

/// `text`, and as many spaces as make it `columns` wide.
std::string filled(std::string text, int columns);

/// `text` in one line of at most `width` columns; "…" stands for what does not fit, a space for
/// white space.
std::string shortened(std::string_view text, int width);

/// `text` in lines of at most `width` columns, broken at spaces, at wide characters, or inside a
/// word that is too long. Its own line breaks stay; spaces at the ends of lines do not. The first
/// line continues after `column` columns.
std::vector<std::string> wrapped(std::string_view text, int width, int column = 0);

}  // namespace tandem::command
