#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace tandem::text {

inline constexpr std::size_t max_speech_mark_bytes = 256;

/// A mark for the voice, such as `[laughs]`.
struct matched_mark {
    std::size_t bytes = 0;     ///< 0: no mark
    std::string tag{};         ///< as in the list of tags; with a leading slash in `</whisper>`
    std::string_view label{};  ///< the text of the mark apart from the tag
};

/// The mark at the start of `text`: one of the tags as `[tag]`, `<tag>`, `(tag)` or `*tag*`. Marks
/// in the first two forms may also close (`</tag>`), and may have a label, as in `[tag: label]`,
/// `[tag=label]` and `<tag label/>`. The case of ASCII letters does not matter. A link is not a
/// mark.
matched_mark match_speech_mark(std::string_view text, std::span<const std::string> tags);

/// Offset of what may be a mark that the end of the text cuts off; the size of the text if there is
/// none.
std::size_t find_truncated_mark(std::string_view text, std::span<const std::string> tags) noexcept;

}  // namespace tandem::text
