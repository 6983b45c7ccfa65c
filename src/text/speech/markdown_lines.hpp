#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

// What a line of Markdown starts with or consists of. Each function is given the line from its
// first character that is no space to its end, or to where the text known so far ends; a mark that
// is followed by that end counts as one.
namespace tandem::text {

/// How many times the text starts with the mark.
inline std::size_t run_of(char mark, std::string_view text) noexcept {
    return std::min(text.find_first_not_of(mark), text.size());
}

/// The marks that open a block of code; the block ends with at least as many.
struct code_fence {
    char mark = '`';
    std::size_t length = 3;
};

std::optional<code_fence> opening_fence(std::string_view line) noexcept;
bool closes(code_fence fence, std::string_view line) noexcept;
/// Bytes of code before the marks of a fence that ends the line, as models write it: "ls```"; 0 if
/// there is none.
std::size_t code_before_end(code_fence fence, std::string_view line) noexcept;

/// A line that only parts: `---`, `***`, `===`, or the line below a table's head.
bool is_rule(std::string_view line) noexcept;

/// Bytes of the mark and the space after it; 0 if there is none.
std::size_t heading_mark(std::string_view line) noexcept;
std::size_t quote_mark(std::string_view line) noexcept;
/// The box of a task belongs to it.
std::size_t bullet_mark(std::string_view line) noexcept;

}  // namespace tandem::text
