#include "wire/calls/tool_call_reader.hpp"

#include "text/characters/white_space.hpp"

#include <initializer_list>
#include <optional>

namespace tandem::wire {
namespace {

using std::string_view;

// Maximum bytes before the arguments.
constexpr std::size_t max_head_bytes = 1024;

/// Removes these words from the start of the text, and white space before each.
bool take(string_view& text, std::initializer_list<string_view> words) noexcept {
    for (const auto word : words) {
        text = text::trim_leading_space(text);
        if (!text.starts_with(word)) return false;
        text.remove_prefix(word.size());
    }
    return true;
}

struct call_head {
    string_view name;
    std::size_t bytes;
};

/// What precedes the arguments in `text`; nullopt if they have not begun.
std::optional<call_head> read_head(string_view text) noexcept {
    auto rest = text.substr(0, max_head_bytes);
    if (!take(rest, {"{", "\"name\"", ":", "\""})) return std::nullopt;
    const auto name = rest.substr(0, rest.find_first_of("\"\\"));
    rest.remove_prefix(name.size());
    if (!take(rest, {"\"", ",", "\"parameters\"", ":", "{"})) return std::nullopt;
    return call_head{name, static_cast<std::size_t>(rest.data() - text.data()) - 1};
}

}  // namespace

tool_call_reader::piece tool_call_reader::read(string_view text) {
    piece next;
    if (read_ == 0) {
        const auto head = read_head(text);
        if (!head) return next;
        next.name = head->name;
        read_ = head->bytes;
    }
    const auto begin = read_;
    while (!has_ended_ && read_ < text.size()) read_argument(text[read_++]);
    next.arguments = text.substr(begin, read_ - begin);
    return next;
}

void tool_call_reader::read_argument(char c) noexcept {
    const bool is_escaped = is_escaped_;
    is_escaped_ = is_quoted_ && c == '\\' && !is_escaped;
    if (c == '"' && !is_escaped) is_quoted_ = !is_quoted_;
    if (is_quoted_) return;
    if (c == '{') ++depth_;
    if (c == '}') has_ended_ = --depth_ == 0;
}

}  // namespace tandem::wire
