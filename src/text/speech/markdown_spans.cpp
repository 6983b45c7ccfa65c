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
bool is_quote(char c) noexcept {
    return c == '"' || c == '\'';
}
bool is_space(char c) noexcept {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/// The span from `open`, at the start of `text`, to the matching `close`, within the first `most`
/// bytes and before any character of `ends`.
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
        if (c == '0' && digits == 0) return false;
        digits = is_ascii_digit(c) ? digits + 1 : 0;
        if (digits > 3 || (digits == 0 && c != ',' && c != '-')) return false;
    }
    return !inside.empty() && is_ascii_digit(inside.front()) && is_ascii_digit(inside.back());
}

bool is_address_character(char c) noexcept {
    return c > ' ' && c < 0x7F &&
           std::string_view("<>\"`|[]{}\\^").find(c) == std::string_view::npos;
}

/// The length of an address without sentence marks and unmatched closing brackets at its end.
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
    "summary", "table",      "tbody", "td",    "th",     "thead",   "tr",  "ul",  "h5",
    "h6",      "html",       "body",  "head",  "dl",     "dt",      "dd"};
constexpr std::string_view model_tags[] = {
    "think",       "thinking",      "reasoning",     "answer",
    "tool_call",   "tool_response", "function_call", "start_of_turn",
    "end_of_turn", "bos",           "eos",           "pad",
    "unk"};

/// Ignores case, except for names of one letter: "<B>" is a key.
bool is_known(std::string_view name) noexcept {
    const auto is_name = [name](std::string_view tag) {
        return name == tag ||
               (name.size() > 1 && std::ranges::equal(name, tag, {}, to_ascii_lowercase));
    };
    const auto is_in = [&](const auto& tags) { return std::ranges::any_of(tags, is_name); };
    return is_in(inline_tags) || is_in(block_tags) || is_in(model_tags);
}

/// Whether the text between a tag's name and its end looks like attributes.
bool are_attributes(std::string_view rest) noexcept {
    const auto first = rest.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || rest.substr(first) == "/") return true;
    return is_space(rest.front()) && rest.find('=') != std::string_view::npos;
}

/// Whether this may be a tag: its name is known, it has attributes, text directly follows it, or a
/// closing tag comes later. "Press <Enter>" contains no tag.
bool may_be_tag(std::string_view name, std::string_view rest, std::string_view later) noexcept {
    const char next = later.size() > 1 ? later[1] : ' ';
    const bool is_ascii = static_cast<unsigned char>(next) < 0x80;
    if (is_letter(next) || !is_ascii || next == '\n') return true;
    if (is_known(name) || rest.find_first_not_of(" \t\r\n") != std::string_view::npos) return true;
    for (auto at = later.find("</"); at != std::string_view::npos; at = later.find("</", at + 2))
        if (later.substr(at + 2).starts_with(name)) return true;
    return false;
}

/// Bytes of the attribute at the start of `text`, up to its quotes; 0 if there is none. The
/// attribute may be cut off at the end of the text and, if `is_rest`, also at its start.
std::size_t measure_attribute(std::string_view text, bool is_rest) noexcept {
    const auto end = std::min(text.find_first_of(" \t\r\n\"'<>"), text.size());
    const auto attribute = text.substr(0, end);
    if (end == 0) return 0;
    const bool is_named = attribute.find('=', 1) != std::string_view::npos;
    if (attribute == "/" || (is_rest && tag_name(attribute) == end)) return end;
    const bool ends_sentence =
        std::string_view(".,;:!?").find(attribute.back()) != std::string_view::npos;
    return is_named && !ends_sentence ? end : 0;
}

/// Matches a tag that the end of the text cuts off: its name, and the text after the name. "2 <b
/// and c" contains no tag.
matched_span match_cut_tag(std::string_view name, std::string_view rest) noexcept {
    if (rest.find_first_not_of('/') == std::string_view::npos)
        return {is_known(name) ? span_state::cut : span_state::none, 0};
    // "x <b ": a variable.
    const bool is_blank = rest.find_first_not_of(" \t/") == std::string_view::npos;
    if (!is_space(rest.front()) || (is_blank && (name.size() == 1 || !is_known(name)))) return {};
    return match_tag_rest(rest, 0);
}

/// A comment or a declaration; "He said <!important" contains none.
matched_span match_declaration(std::string_view text) noexcept {
    constexpr std::string_view starts[] = {"<!--", "<!DOCTYPE", "<!doctype", "<?xml"};
    const auto has_start = [text](std::string_view start) {
        const auto known = std::min(text.size(), start.size());
        return known > 2 && text.substr(0, known) == start.substr(0, known);
    };
    const auto within = text.substr(0, max_html_tag_bytes);
    const auto end = within.find_first_of("<>", 1);
    if (std::ranges::none_of(starts, has_start)) return {};
    if (end != std::string_view::npos)
        return {within[end] == '>' ? span_state::whole : span_state::none, end + 1};
    return {text.size() < max_html_tag_bytes ? span_state::cut : span_state::none, text.size()};
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
    if (text.starts_with("<!") || text.starts_with("<?"))
        return in_word ? matched_span() : match_declaration(text);
    const bool is_closing = text.starts_with("</");
    const auto name = text.substr(1 + is_closing, tag_name(text.substr(1 + is_closing, 64)));
    if (!text.starts_with('<') || name.empty()) return {};
    if (in_word && !is_closing && !is_known(name)) return {};
    const auto name_end = 1 + is_closing + name.size();
    const auto within = text.substr(0, max_html_tag_bytes);
    const auto end = within.find_first_of("<>", name_end);
    const auto rest = within.substr(name_end, end - name_end);
    if (end == std::string_view::npos) {
        const auto t = match_cut_tag(name, rest);
        const bool is_cut = t.state == span_state::cut && text.size() < max_html_tag_bytes;
        return {is_cut ? span_state::cut : span_state::none, text.size(), t.quote};
    }
    const bool is_tag = text[end] == '>' && are_attributes(rest) &&
                        (is_closing || may_be_tag(name, rest, within.substr(end)));
    return is_tag ? matched_span{span_state::whole, end + 1} : matched_span();
}

matched_span match_tag_rest(std::string_view text, char quote) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        if (quote != 0) {
            const char ends[] = {quote, '\n'};
            at = text.find_first_of(std::string_view(ends, 2), at);
            if (at == std::string_view::npos) break;
            if (text[at++] == '\n') return {};
            quote = 0;
        } else if (text[at] == '>') {
            return {span_state::whole, at + 1};
        } else if (is_space(text[at]) && text[at] != '\n') {
            ++at;
        } else if (is_quote(text[at]) && (at == 0 || text[at - 1] == '=')) {
            quote = text[at++];
        } else if (const auto bytes = measure_attribute(text.substr(at), at == 0)) {
            at += bytes;
        } else {
            return {};
        }
    }
    return {span_state::cut, text.size(), quote};
}

std::size_t match_bracketed_name(std::string_view text) noexcept {
    const auto end = 1 + tag_name(text.substr(1, 64));
    return end > 1 && text.substr(end).starts_with('>') ? end + 1 : 0;
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
    // "$5 and $6": words between two amounts of money are not a formula.
    const auto two_letters = [](char a, char b) { return is_letter(a) && is_letter(b); };
    const bool has_word = std::ranges::adjacent_find(inside, two_letters) != inside.end();
    if (is_ascii_digit(inside.front()) && has_word && inside.find('\\') == std::string_view::npos)
        return 0;
    return end + 1;
}

}  // namespace tandem::text
