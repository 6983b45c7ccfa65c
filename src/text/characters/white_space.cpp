#include "text/characters/white_space.hpp"

#include "text/characters/utf8.hpp"

namespace tandem::text {

bool is_breaking_space(char32_t c) noexcept {
    return is_white_space(c) && c != 0xA0 && c != 0x2007 && c != 0x202F;
}

bool is_all_white_space(std::string_view text) noexcept {
    return trim_leading_space(text).empty();
}

std::string_view trim_leading_space(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto c = decode_first_character(text);
        if (!is_white_space(c.character)) break;
        text.remove_prefix(c.bytes);
    }
    return text;
}

std::string_view trim_trailing_space(std::string_view text) noexcept {
    while (!text.empty()) {
        const auto c = decode_last_character(text);
        if (!is_white_space(c.character)) break;
        text.remove_suffix(c.bytes);
    }
    return text;
}

std::string_view trim_white_space(std::string_view text) noexcept {
    return trim_trailing_space(trim_leading_space(text));
}

std::string join_with_space(std::string_view text, std::string_view next) {
    const bool has_space = text.empty() || next.empty() ||
                           trim_trailing_space(text).size() < text.size() ||
                           trim_leading_space(next).size() < next.size();
    return std::string(text).append(has_space ? "" : " ").append(next);
}

}  // namespace tandem::text
