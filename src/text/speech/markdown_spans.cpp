#include "text/speech/markdown_spans.hpp"

#include "text/characters/characters.hpp"

#include <algorithm>
#include <iterator>

namespace tandem::text {
namespace {

constexpr std::size_t max_link_text = 512;
constexpr std::size_t max_footnote = 24;
constexpr std::size_t max_formula_length = 256;
constexpr int max_bracket_depth = 8;

bool is_letter(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// A span that opens at the start of `text` and closes within `most` bytes, before any of `ends`.
matched_span bracketed(std::string_view text, char open, char close, std::size_t most,
                       std::string_view ends) noexcept {
    if (!text.starts_with(open)) return {};
    const auto within = text.substr(0, most);
    int depth = 0;
    for (std::size_t i = 0; i < within.size(); ++i) {
        const char c = within[i];
        if (c == '\\') {
            ++i;
        } else if (c == open) {
            if (++depth > max_bracket_depth) return {};
        } else if (c == close) {
            if (--depth == 0) return {span_state::whole, i + 1};
        } else if (ends.find(c) != std::string_view::npos) {
            return {};
        }
    }
    return {text.size() < most ? span_state::cut : span_state::none, text.size()};
}

bool is_note(std::string_view inside) noexcept {
    if (inside.starts_with('^'))
        return inside.size() > 1 && inside.find(' ') == std::string_view::npos;
    std::size_t digits = 0;
    for (const char c : inside) {
        digits = is_ascii_digit(c) ? digits + 1 : 0;
        if (digits > 3 || (digits == 0 && c != ',' && c != '-' && c != ' ')) return false;
    }
    return !inside.empty() && is_ascii_digit(inside.front()) && is_ascii_digit(inside.back());
}

bool is_address_character(char c) noexcept {
    return c > ' ' && c < 0x7F &&
           std::string_view("<>\"`|[]{}\\^").find(c) == std::string_view::npos;
}

/// Strips sentence marks after an address, and closing brackets without an opening one in it.
std::size_t without_end_marks(std::string_view address) noexcept {
    auto unopened = std::ranges::count(address, ')') - std::ranges::count(address, '(');
    while (!address.empty()) {
        const char c = address.back();
        if (c == ')' ? unopened-- <= 0
                     : std::string_view(".,;:!?'*_~").find(c) == std::string_view::npos)
            break;
        address.remove_suffix(1);
    }
    return address.size();
}

std::size_t scheme(std::string_view text) noexcept {
    for (const std::string_view s : {"https://", "http://"})
        if (text.starts_with(s)) return s.size();
    return 0;
}

std::size_t tag_name(std::string_view text) noexcept {
    std::size_t n = 0;
    while (n < text.size() &&
           (is_letter(text[n]) || (n > 0 && (is_ascii_digit(text[n]) || text[n] == '-' ||
                                             text[n] == ':' || text[n] == '_'))))
        ++n;
    return n;
}

constexpr std::string_view inline_tags[] = {
    "a",     "abbr", "b",      "cite", "code",    "del",     "em",    "emphasis", "font",
    "i",     "ins",  "kbd",    "mark", "phoneme", "prosody", "q",     "s",        "say-as",
    "small", "span", "strong", "sub",  "sup",     "u",       "voice", "w"};
constexpr std::string_view block_tags[] = {
    "audio",   "blockquote", "br",    "break", "center", "details", "div", "h1",  "h2",
    "h3",      "h4",         "hr",    "img",   "li",     "ol",      "p",   "pre", "speak",
    "summary", "table",      "tbody", "td",    "th",     "thead",   "tr",  "ul"};

bool is_known(std::string_view name) noexcept {
    return std::ranges::find(inline_tags, name) != std::end(inline_tags) ||
           std::ranges::find(block_tags, name) != std::end(block_tags);
}

/// Whether the text between a tag's name and its end looks like attributes.
bool are_attributes(std::string_view rest) noexcept {
    const auto first = rest.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || rest.substr(first) == "/") return true;
    return is_space(rest.front()) && rest.find('=') != std::string_view::npos;
}

/// As are_attributes(), for a tag cut off by the end of the text. "2 <b and c" is not a tag.
bool may_be_cut(std::string_view name, std::string_view rest) noexcept {
    const auto first = rest.find_first_not_of(" \t\r\n/");
    if (first == std::string_view::npos) return is_known(name);
    if (!is_space(rest.front())) return false;
    const auto attribute = rest.substr(first, rest.find_first_of(" \t\r\n", first) - first);
    return attribute.find('=') != std::string_view::npos;
}

matched_span special_token(std::string_view text) noexcept {
    const auto within = text.substr(0, 64);
    const auto end = within.find("|>", 2);
    const auto space = within.find_first_of(" \t\r\n<", 1);
    if (end == std::string_view::npos || space < end) return {};
    return {span_state::whole, end + 2};
}

}  // namespace

matched_span match_link_text(std::string_view text) noexcept {
    return bracketed(text, '[', ']', max_link_text, "\n");
}

matched_span match_link_target(std::string_view text) noexcept {
    return bracketed(text, '(', ')', max_link_target_bytes, "[\n");
}

std::size_t match_footnote(std::string_view text) noexcept {
    const auto end = text.substr(0, max_footnote).find(']');
    return text.starts_with('[') && end != std::string_view::npos &&
                   is_note(text.substr(1, end - 1))
               ? end + 1
               : 0;
}

std::size_t match_web_address_rest(std::string_view text) noexcept {
    const auto end = std::ranges::find_if_not(text, is_address_character);
    return without_end_marks(text.substr(0, static_cast<std::size_t>(end - text.begin())));
}

std::size_t match_web_address(std::string_view text) noexcept {
    const auto start = text.starts_with("www.") ? 4 : scheme(text);
    if (start == 0) return 0;
    const auto bytes = match_web_address_rest(text);
    return bytes > start ? bytes : 0;
}

std::string_view extract_host(std::string_view address) noexcept {
    address.remove_prefix(scheme(address));
    address = address.substr(0, address.find_first_of("/?#"));
    if (const auto at = address.rfind('@'); at != std::string_view::npos)
        address.remove_prefix(at + 1);
    address = address.substr(0, address.find(':'));
    if (address.starts_with("www.")) address.remove_prefix(4);
    return address;
}

matched_span match_html_tag(std::string_view text, bool in_word) noexcept {
    if (text.starts_with("<|")) return special_token(text);
    if (!text.starts_with('<')) return {};
    const bool is_closing = text.substr(1).starts_with('/');
    const bool is_other = text.substr(1).starts_with('!') || text.substr(1).starts_with('?');
    const auto name_at = std::size_t{1} + (is_closing || is_other);
    const auto name = text.substr(name_at, tag_name(text.substr(name_at, 64)));
    if (name.empty() && !text.substr(1).starts_with("!--")) return {};
    if (in_word && !is_closing && !is_known(name)) return {};
    const auto rest = text.substr(0, max_html_tag_bytes).substr(name_at + name.size());
    const auto end = rest.find_first_of("<>");
    if (end == std::string_view::npos) {
        const bool is_cut =
            text.size() < max_html_tag_bytes && (is_other || may_be_cut(name, rest));
        return {is_cut ? span_state::cut : span_state::none, text.size()};
    }
    if (rest[end] == '<' || (!is_other && !are_attributes(rest.substr(0, end)))) return {};
    return {span_state::whole, name_at + name.size() + end + 1};
}

bool is_inline_tag(std::string_view tag) noexcept {
    const auto at = tag.find_first_not_of("</");
    if (at == std::string_view::npos) return false;
    const auto name = tag.substr(at, tag_name(tag.substr(at)));
    return std::ranges::find(inline_tags, name) != std::end(inline_tags);
}

std::size_t match_bracketed_address(std::string_view text) noexcept {
    const auto end = text.substr(0, max_link_target_bytes).find_first_of("<> \t\n", 1);
    if (!text.starts_with('<') || end == std::string_view::npos || text[end] != '>') return 0;
    const auto inside = text.substr(1, end - 1);
    const auto at = inside.find('@');
    const bool is_mail = at != std::string_view::npos && at > 0 &&
                         inside.find('.', at) != std::string_view::npos &&
                         inside.find_first_of("<=\"/") == std::string_view::npos;
    return scheme(inside) > 0 || is_mail ? end + 1 : 0;
}

std::size_t match_formula(std::string_view text) noexcept {
    const auto end = text.substr(0, max_formula_length).find_first_of("$\n", 1);
    if (!text.starts_with('$') || end == std::string_view::npos || text[end] != '$' || end < 2)
        return 0;
    const auto inside = text.substr(1, end - 1);
    const bool is_number_after = end + 1 < text.size() && is_ascii_digit(text[end + 1]);
    if (is_space(inside.front()) || is_space(inside.back()) || is_number_after) return 0;
    // "$5 and $6": an amount of money, then words up to the next amount.
    const auto two_letters = [](char a, char b) { return is_letter(a) && is_letter(b); };
    const bool has_word = std::ranges::adjacent_find(inside, two_letters) != inside.end();
    if (is_ascii_digit(inside.front()) && has_word && inside.find('\\') == std::string_view::npos)
        return 0;
    return end + 1;
}

}  // namespace tandem::text
