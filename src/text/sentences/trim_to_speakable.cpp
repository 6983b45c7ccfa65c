#include "text/sentences/trim_to_speakable.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::text {
namespace {

bool says_something(std::string_view speech) noexcept {
    constexpr std::u32string_view silent = U".,;:!?…-–—\"'`“”‘’«»()[]{}*_~#|/\\";
    while (!speech.empty()) {
        const auto c = decode_first_character(speech);
        if (!is_white_space(c.character) && silent.find(c.character) == silent.npos) return true;
        speech.remove_prefix(c.bytes);
    }
    return false;
}

/// Bytes of the marks at the start of `text` that close something before it. A mark directly before
/// a word may belong to the word, unless the mark is East Asian.
std::size_t trailing_marks(std::string_view text) noexcept {
    std::size_t sure = 0;
    std::size_t end = 0;
    auto c = decode_first_character(text);
    while (end < text.size() && is_trailing_mark(c.character)) {
        end += c.bytes;
        if (is_full_width_trailing_mark(c.character)) sure = end;
        c = decode_first_character(text.substr(end));
    }
    return end == text.size() || is_white_space(c.character) ? end : sure;
}

std::string_view without_trailing_marks(std::string_view text) noexcept {
    for (;;) {
        text = trim_leading_space(text);
        const auto marks = trailing_marks(text);
        if (marks == 0) return text;
        text.remove_prefix(marks);
    }
}

}  // namespace

std::string_view trim_to_speakable(std::string_view speech) noexcept {
    const auto said = trim_trailing_space(without_trailing_marks(speech));
    return says_something(said) ? said : std::string_view();
}

}  // namespace tandem::text
