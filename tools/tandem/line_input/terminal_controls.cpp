#include "line_input/terminal_controls.hpp"

#include "text/characters/utf8.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

constexpr char esc = '\x1b';
// Longer than any escape sequence of a key or color.
constexpr std::size_t max_sequence = 64;

bool is_within(char c, char first, char last) noexcept {
    return c >= first && c <= last;
}

// Returns the end of a sequence such as "ESC [ 1 ; 5 C" (ECMA-48), which ends with a byte from "@"
// to "~". Returns 0 if that byte is missing.
std::size_t end_of_sequence(std::string_view text, std::size_t at) noexcept {
    const auto end = std::min(text.size(), max_sequence);
    while (at < end && is_within(text[at], ' ', '?')) ++at;
    if (at == text.size()) return 0;
    return is_within(text[at], '@', '~') ? at + 1 : at;
}

// Returns the end of a string such as a window title, which ends with BEL or "ESC \". Returns 0 if
// the end is missing.
std::size_t end_of_string(std::string_view text) noexcept {
    const auto end = text.find_first_of("\a\x1b", 2);
    if (end == text.npos) return 0;
    if (text[end] == '\a') return end + 1;
    return text.substr(end + 1).starts_with('\\') ? end + 2 : end;
}

bool begins_string(char c) noexcept {
    return std::string_view("]PX^_").find(c) != std::string_view::npos;
}

// Returns the number of bytes to remove if `text` starts with ESC. For an unterminated sequence,
// returns 2, so that the text after it is kept.
std::size_t length_in_text(std::string_view text) noexcept {
    if (text.size() < 2) return 1;
    const auto length =
        begins_string(text[1]) ? end_of_string(text) : measure_escape_sequence(text);
    return length > 0 ? length : 2;
}

bool is_control_character(char32_t c) noexcept {
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

}  // namespace

std::size_t measure_escape_sequence(std::string_view text) noexcept {
    if (text.size() < 2) return 0;
    if (text[1] == '[') return end_of_sequence(text, 2);
    if (text[1] == 'O') return text.size() < 3 ? 0 : 3;
    if (is_within(text[1], ' ', '/')) return end_of_sequence(text, 1);
    return is_within(text[1], '0', '~') ? 2 : 1;
}

std::string strip_controls(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        if (text.front() == esc) {
            text.remove_prefix(length_in_text(text));
            continue;
        }
        const auto next = text::decode_first_character(text);
        const auto bytes = text.substr(0, next.bytes);
        text.remove_prefix(next.bytes);
        if (bytes == "\r")
            result += text.starts_with('\n') ? "" : "\n";
        else if (bytes == "\n" || bytes == "\t" || !is_control_character(next.character))
            result += bytes;
    }
    return result;
}

std::string_view strip_line_breaks(std::string_view text) noexcept {
    return text.substr(0, text.find_last_not_of('\n') + 1);
}

}  // namespace tandem::command
