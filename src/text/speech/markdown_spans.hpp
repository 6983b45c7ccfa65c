#pragma once

#include <cstddef>
#include <string_view>

// What stands inside a line of Markdown or HTML. Each function looks at the start of a text that
// ends where the text known so far ends, and no further than its bound.
namespace tandem::text {

enum class span_state {
    none,   ///< the text does not start with one
    whole,  ///< it does
    cut,    ///< it may: the text ends before it does
};

struct span {
    span_state state = span_state::none;
    std::size_t bytes = 0;  ///< with its marks, where it is whole
};

/// `[text]`, brackets inside allowed; 512 bytes at most.
span link_text(std::string_view text) noexcept;
/// `(target)`; 2048 bytes at most.
span link_target(std::string_view text) noexcept;
inline constexpr std::size_t longest_target = 2048;

/// `[1]`, `[2, 3]`, `[4-6]` or `[^note]`: bytes, 0 if there is none.
std::size_t footnote_mark(std::string_view text) noexcept;

/// Bytes of the web address that `text` starts with, without punctuation at its end; 0 if there is
/// none.
std::size_t web_address(std::string_view text) noexcept;
/// How far a web address that was begun continues.
std::size_t web_address_rest(std::string_view text) noexcept;
/// `https://www.example.com/a` → `example.com`.
std::string_view host_of(std::string_view address) noexcept;

/// A tag, comment or processing instruction of HTML or SSML, or a model's `<|mark|>`; 512 bytes at
/// most. `in_word`: a letter or digit comes right before, so that `vector<int>` is none.
span html_tag(std::string_view text, bool in_word) noexcept;
inline constexpr std::size_t longest_tag = 512;
/// Whether the words around such a tag may be one word: `<b>`, `<sub>`.
bool is_inline_tag(std::string_view tag) noexcept;
/// `<https://example.com>` or `<someone@example.com>`: bytes, 0 if there is none.
std::size_t address_in_brackets(std::string_view text) noexcept;

/// `$x^2$`, but not `$5 and $6`: bytes with the marks, 0 if there is none.
std::size_t formula(std::string_view text) noexcept;

}  // namespace tandem::text
