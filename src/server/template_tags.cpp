#include "server/template_tags.hpp"

#include <algorithm>

namespace tandem::server {
namespace {

using std::string_view;

constexpr string_view blanks = " \t\r\n";

bool is_upper_case_name(string_view text) noexcept {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'A' && c <= 'Z') || c == '_' || c == '/';
    });
}

/// The size of a mark such as ]<]minimax[>[ at the start of `text`; 0 if there is none.
std::size_t size_of_namespace(string_view text) noexcept {
    constexpr string_view open = "]<]";
    constexpr string_view close = "[>[";
    const auto end = text.substr(0, max_preserved_bytes).find(close, open.size());
    return text.starts_with(open) && end != string_view::npos ? end + close.size() : 0;
}

}  // namespace

string_view parse_leading_tag(string_view text) noexcept {
    if (const auto size = size_of_namespace(text); size > 0) return text.substr(0, size);
    if (text.empty() || (text[0] != '<' && text[0] != '[')) return {};
    const char close = text[0] == '<' ? '>' : ']';
    const auto end = text.substr(0, max_preserved_bytes).find(close, 1);
    if (end == string_view::npos) return {};
    const auto inside = text.substr(1, end - 1);
    if (text[0] == '[' && !is_upper_case_name(inside)) return {};
    if (inside.empty() || inside.find('<') != string_view::npos) return {};
    if (inside.find_first_of(blanks) != string_view::npos) return {};
    return text.substr(0, end + 1);
}

std::vector<string_view> find_tags(string_view text) {
    constexpr std::size_t max_tags = 4 * max_preserved_tokens;
    std::vector<string_view> tags;
    while (!text.empty() && tags.size() < max_tags) {
        const auto tag = parse_leading_tag(text);
        if (!tag.empty() && !contains(tags, tag)) tags.push_back(tag);
        text.remove_prefix(tag.empty() ? 1 : tag.size());
    }
    return tags;
}

bool contains(const std::vector<string_view>& tags, string_view tag) noexcept {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
}

}  // namespace tandem::server
