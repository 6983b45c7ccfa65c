#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

// Parsers for the start of a Markdown line, or for the whole line. Each function receives the line
// from its first non-space character on. If the end of the line is not known yet, a mark at the end
// of the known text counts, although other characters may follow it.
namespace tandem::text {

/// Number of consecutive marks at the start of the text.
inline std::size_t count_leading_marks(char mark, std::string_view text) noexcept {
    return std::min(text.find_first_not_of(mark), text.size());
}

/// The marks that open a code block. At least as many of the same marks close it.
struct code_fence {
    char mark = '`';
    std::size_t length = 3;
};

std::optional<code_fence> parse_opening_fence(std::string_view line) noexcept;
/// Bytes of the marks at the start of the line that close the code; 0 if there are none. Text may
/// follow them, as in "``` Now run it". If only a language follows, the marks open another code
/// block instead.
std::size_t measure_closing_fence(code_fence fence, std::string_view line) noexcept;
/// Bytes of code before a closing fence at the end of the line, as models write in "ls```"; 0 if
/// there is none.
std::size_t measure_code_before_fence(code_fence fence, std::string_view line) noexcept;

/// Whether the line is only a separator: `---`, `***`, `===`, or the line below a table's head.
bool is_horizontal_rule(std::string_view line) noexcept;

/// Bytes of the mark and the space after it; 0 if there is no mark.
std::size_t measure_heading_mark(std::string_view line) noexcept;
std::size_t measure_quote_mark(std::string_view line) noexcept;
/// Includes the checkbox of a task.
std::size_t measure_bullet_mark(std::string_view line) noexcept;

}  // namespace tandem::text
