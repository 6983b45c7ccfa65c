#pragma once

#include <cstddef>
#include <string_view>

// Parsers for the spans inside a line of Markdown or HTML. Each function looks for a span at the
// start of its text, up to the function's size limit. The text may end before the span does.
namespace tandem::text {

enum class span_state {
    none,   ///< the text does not start with a span
    whole,  ///< the text starts with a complete span
    cut,    ///< the text may start with a span, but ends before the span does
};

struct matched_span {
    span_state state = span_state::none;
    std::size_t bytes = 0;  ///< with its marks, if it is whole
    char quote = 0;         ///< the open quote, if the text ends inside a quoted value of a tag
};

/// `[text]`, brackets inside allowed; at most 512 bytes.
matched_span match_link_text(std::string_view text) noexcept;
/// `(target)`; at most 2048 bytes.
matched_span match_link_target(std::string_view text) noexcept;
inline constexpr std::size_t max_link_target_bytes = 2048;

/// Bytes of a `[1]`, `[2,3]`, `[4-6]` or `[^note]`; 0 if there is none.
std::size_t match_footnote(std::string_view text) noexcept;

/// Bytes of the web address at the start of `text`, without trailing punctuation; 0 if there is
/// none.
std::size_t match_web_address(std::string_view text) noexcept;
/// Number of bytes at the start of `text` that continue a web address.
std::size_t match_web_address_rest(std::string_view text) noexcept;
/// `https://www.example.com/a` → `example.com`.
std::string_view extract_host(std::string_view address) noexcept;

/// A tag, comment or processing instruction of HTML or SSML, or a model's `<|mark|>`; at most 512
/// bytes. `in_word`: a letter or digit directly precedes it; an opening tag must then have a known
/// name, so `vector<int>` contains no tag.
matched_span match_html_tag(std::string_view text, bool in_word) noexcept;
inline constexpr std::size_t max_html_tag_bytes = 512;
/// The rest of a tag that began before `text`; `quote` is its open quote, or 0.
matched_span match_tag_rest(std::string_view text, char quote) noexcept;
/// Bytes of `<name>`, which need not be a tag: "Press <Enter>"; 0 if there is none.
std::size_t match_bracketed_name(std::string_view text) noexcept;
/// Whether the tag may be inside a word, as `<b>` and `<sub>` may.
bool is_inline_tag(std::string_view tag) noexcept;
/// Bytes of `<https://example.com>` or `<someone@example.com>`; 0 if there is none.
std::size_t match_bracketed_address(std::string_view text) noexcept;

/// Bytes of a formula like `$x^2$` with its marks; 0 if there is none. `$5 and $6` is not a
/// formula.
std::size_t match_formula(std::string_view text) noexcept;

}  // namespace tandem::text
