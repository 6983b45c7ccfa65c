#include "text/speech/speech_cleaner.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/emoji.hpp"
#include "text/characters/html_entities.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/markdown_lines.hpp"
#include "text/speech/markdown_spans.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::text {
namespace {

constexpr int deepest_line_mark = 16;
constexpr std::size_t longest_language = 32;  // behind the back-ticks of a block of code

/// The bytes that something may start with; all others are plain text.
constexpr auto is_special = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("\n`*_~#![]<&\\$|hw"))
        table[static_cast<unsigned char>(c)] = true;
    // The first bytes of emoji, and of what changes them.
    for (const auto c : {0xC2u, 0xE2u, 0xE3u, 0xEFu, 0xF0u, 0xF3u}) table[c] = true;
    return table;
}();

std::size_t plain_text(std::string_view text) noexcept {
    const auto special = [](char c) { return is_special[static_cast<unsigned char>(c)]; };
    return static_cast<std::size_t>(std::ranges::find_if(text, special) - text.begin());
}

bool is_space_or_end(char32_t c) noexcept {
    return c == 0 || is_white_space(c);
}

bool is_punctuation(char c) noexcept {
    return c > ' ' && c < 0x7F && !is_word_character(static_cast<unsigned char>(c));
}

unsigned strength(std::size_t length) noexcept {
    return static_cast<unsigned>(std::min<std::size_t>(length, 3));
}

}  // namespace

speech_cleaner::speech_cleaner(speech_options options) : options_(options) {}

std::string speech_cleaner::clean(std::string_view chunk) {
    rest_ = chunk;
    finish_what_was_cut();
    while (!rest_.empty()) {
        if (fence_)
            read_code();
        else if (at_line_start_)
            start_line();
        else
            read_inline();
    }
    return out_.take();
}

void speech_cleaner::keep(std::size_t bytes) {
    out_.put(rest_.substr(0, bytes));
    skip(bytes);
}

void speech_cleaner::skip(std::size_t bytes) {
    if (bytes == 0) return;
    before_ = last_character(rest_.substr(0, bytes)).character;
    rest_.remove_prefix(std::min(bytes, rest_.size()));
}

char32_t speech_cleaner::after(std::size_t bytes) const noexcept {
    return ends_at(bytes) ? 0 : first_character(rest_.substr(bytes)).character;
}

void speech_cleaner::finish_what_was_cut() {
    if (in_target_) skip_to(')', in_target_);
    if (in_tag_) skip_to('>', in_tag_);
    if (std::exchange(in_address_, false)) skip(web_address_rest(rest_));
}

/// Leaves out the rest of what was `open`; gives up at the end of a line, and after the bytes that
/// the longest one has.
void speech_cleaner::skip_to(char end, bool& open) {
    const char ends[] = {end, '\n'};
    const auto most = floor_to_character(rest_, longest_target - cut_bytes_);
    const auto within = rest_.substr(0, most);
    const auto at = within.find_first_of(std::string_view(ends, 2));
    open = at == std::string_view::npos && most == rest_.size();
    cut_bytes_ += within.size();
    skip(at != std::string_view::npos && rest_[at] == end ? at + 1 : std::min(at, most));
}

void speech_cleaner::read_code() {
    const auto text = line();
    const bool has_end = text.size() < rest_.size();
    if (in_fence_line_) {
        in_fence_line_ = !has_end;
        at_line_start_ = true;
        return skip(text.size() + has_end);
    }
    const auto body = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto code = code_before_end(*fence_, body);
    if (code > 0) say_code(text.size() - body.size() + code);
    if (code > 0 || (at_line_start_ && text::closes(*fence_, body))) return end_code();
    at_line_start_ = has_end;
    say_code(text.size() + has_end);
}

void speech_cleaner::say_code(std::size_t bytes) {
    if (options_.code == code_speech::spoken) return keep(bytes);
    out_.gap();
    skip(bytes);
}

/// The closing fence, with what may stand behind it, is all that is left of the line.
void speech_cleaner::end_code() {
    fence_.reset();
    at_line_start_ = false;
    out_.gap();
    skip(line().size());
}

void speech_cleaner::start_line() {
    if (blank_line()) return;
    for (int depth = 0; depth < deepest_line_mark; ++depth) {
        const auto text = line();
        const auto body = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
        if (whole_line(body)) return;
        const auto mark = line_mark(body);
        if (mark == 0) break;
        skip(text.size() - body.size() + mark);
        if (rest_.empty()) out_.gap();
        if (in_heading_) break;
    }
    at_line_start_ = false;
}

/// Keeps a line without text.
bool speech_cleaner::blank_line() {
    const auto text = line();
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) return false;
    const bool has_end = text.size() < rest_.size();
    if (has_end) end_paragraph();
    keep(text.size() + has_end);
    return true;
}

/// Leaves out a line that has no words, or starts a block of code.
bool speech_cleaner::whole_line(std::string_view body) {
    const auto indent = line().size() - body.size();
    if (is_rule(body)) {
        out_.gap();
        skip(indent + body.size());
        at_line_start_ = false;
        return true;
    }
    fence_ = opening_fence(body);
    if (!fence_) return false;
    out_.gap();
    skip(indent);
    in_fence_line_ = true;
    end_paragraph();
    return true;
}

std::size_t speech_cleaner::line_mark(std::string_view body) {
    in_row_ = body.starts_with('|');
    row_has_cell_ = false;
    if (const auto heading = heading_mark(body)) {
        in_heading_ = true;
        return heading;
    }
    return std::max(quote_mark(body), bullet_mark(body));
}

void speech_cleaner::end_paragraph() {
    stars_.open = lines_.open = 0;
    strike_ = in_formula_ = maybe_link_ = false;
    code_span_ = links_ = 0;
}

void speech_cleaner::read_inline() {
    if (code_span_ > 0) {
        keep(std::min(rest_.find_first_of("`\n"), rest_.size()));
    } else {
        keep(plain_text(rest_));
    }
    if (!rest_.empty()) read_mark();
}

void speech_cleaner::read_mark() {
    switch (rest_[0]) {
        case '\n':
            return new_line();
        case '`':
            return back_ticks();
        case '*':
            return emphasis_mark(stars_);
        case '_':
            return emphasis_mark(lines_);
        case '~':
            return strike_mark();
        case '#':
            return closing_hashes();
        case '!':
        case '[':
            return opening_bracket();
        case ']':
            return closing_bracket();
        case '<':
            return tag();
        case '&':
            return entity();
        case '\\':
            return escape();
        case '$':
            return dollars();
        case '|':
            return cell_end();
        default:
            return read_other();
    }
}

/// An address, an emoji, or the character as it is.
void speech_cleaner::read_other() {
    if (address()) return;
    const auto c = first_character(rest_);
    const bool removes = options_.emoji == emoji_speech::removed;
    if (const auto emoji = removes ? first_emoji(rest_) : 0) {
        out_.gap();
        return skip(emoji);
    }
    const bool changes_emoji = is_emoji_variation(c.character) ||
                               (c.character == zero_width_joiner &&
                                (is_pictograph(before_) || is_emoji_variation(before_)));
    if (removes && changes_emoji) return skip(c.bytes);
    keep(c.bytes);
}

void speech_cleaner::new_line() {
    keep(1);
    at_line_start_ = true;
    in_heading_ = in_row_ = false;
    code_span_ = 0;
}

void speech_cleaner::back_ticks() {
    const auto length = run_of('`', rest_);
    if (code_span_ == 0 && late_fence(length)) return;
    if (code_span_ == 0)
        code_span_ = length;
    else if (code_span_ == length)
        code_span_ = 0;
    skip(length);
}

/// "Run this: ```sh" at the end of a line starts a block of code, as models write it.
bool speech_cleaner::late_fence(std::size_t length) {
    const auto within = rest_.substr(0, length + longest_language);
    const auto end = within.find_first_of(" \t`\n", length);
    if (length < 3 || end == std::string_view::npos || within[end] != '\n') return false;
    fence_ = code_fence{'`', length};
    out_.gap();
    in_fence_line_ = true;
    end_paragraph();
    return true;
}

void speech_cleaner::emphasis_mark(emphasis& e) {
    const auto length = run_of(e.mark, rest_);
    if (in_formula_) return keep(length);
    if (closes(e, length))
        e.open &= ~strength(length);
    else if (opens(e, length))
        e.open |= strength(length);
    else
        return keep(length);
    skip(length);
}

bool speech_cleaner::closes(const emphasis& e, std::size_t length) const noexcept {
    const auto next = after(length);
    if (is_space_or_end(before_) || (e.open & strength(length)) == 0) return false;
    if (e.mark == '_') return !in_word() || !is_word_character(next);
    return !is_ascii_digit(before_) || !is_ascii_digit(next);
}

bool speech_cleaner::opens(const emphasis& e, std::size_t length) const noexcept {
    const auto next = after(length);
    // Two marks at the end of a chunk are more likely to be marks than one.
    if (next == 0 ? length < 2 : is_white_space(next)) return false;
    const bool ends_term = before_ == ')' || before_ == ']' || before_ == '}';
    if (!in_word() && !ends_term) return true;
    const bool between_digits = is_ascii_digit(before_) || is_ascii_digit(next);
    return e.mark == '*' && !between_digits && (next == 0 || is_closed_later(length));
}

/// Whether the next stars of the line are as many, and may close.
bool speech_cleaner::is_closed_later(std::size_t length) const noexcept {
    const auto at = rest_.find_first_of("*\n", length);
    if (at == std::string_view::npos || rest_[at] == '\n') return false;
    const auto later = rest_.substr(at);
    const auto last = last_character(rest_.substr(0, at)).character;
    return run_of('*', later) == length && !is_white_space(last);
}

void speech_cleaner::strike_mark() {
    const auto length = run_of('~', rest_);
    const bool closes = strike_ && !is_space_or_end(before_);
    const bool opens = !is_space_or_end(after(length));
    if (length != 2 || !(closes || opens)) return keep(length);
    strike_ = !closes;
    skip(length);
}

/// The marks that may end a heading.
void speech_cleaner::closing_hashes() {
    const auto length = run_of('#', rest_);
    const auto end = std::min(rest_.find_first_not_of(" \t\r", length), rest_.size());
    const bool is_last = ends_at(end) || rest_[end] == '\n';
    if (!in_heading_ || !is_last || !is_space_or_end(before_)) return keep(length);
    out_.gap();
    skip(length);
}

void speech_cleaner::opening_bracket() {
    const std::size_t mark = rest_.starts_with("![") ? 1 : 0;
    if (rest_[0] == '!' && mark == 0) return keep(1);
    if (const auto note = mark ? 0 : footnote_mark(rest_)) {
        out_.gap();
        skip(note);
        return target(0);
    }
    const auto text = link_text(rest_.substr(mark));
    const auto next = text.state == span_state::whole ? after(mark + text.bytes) : 0;
    const bool is_link =
        (next == '(' && link_target(rest_.substr(mark + text.bytes)).state != span_state::none) ||
        (next == '[' && link_text(rest_.substr(mark + text.bytes)).state == span_state::whole);
    if (!is_link && text.state != span_state::cut) return keep(mark + 1);
    if (mark) out_.gap();
    links_ += is_link;
    maybe_link_ |= !is_link;
    skip(mark + 1);
}

void speech_cleaner::closing_bracket() {
    const auto next = after(1);
    if (links_ == 0 && !maybe_link_) return keep(1);
    if (before_ == '[') out_.gap();
    if (links_ > 0 && next == '(') {
        --links_;
        return target(1);
    }
    if (links_ > 0 && next == '[') {
        --links_;
        return skip(1 + link_text(rest_.substr(1)).bytes);
    }
    if (!maybe_link_) return keep(1);
    maybe_link_ = false;
    target(1);
}

/// Leaves the `bracket` bytes and a link's target behind them out.
void speech_cleaner::target(std::size_t bracket) {
    const auto t = link_target(rest_.substr(std::min(bracket, rest_.size())));
    in_target_ = t.state == span_state::cut;
    cut_bytes_ = 0;
    skip(bracket + (t.state == span_state::none ? 0 : t.bytes));
}

void speech_cleaner::tag() {
    if (const auto address = address_in_brackets(rest_)) {
        say_address(rest_.substr(1, address - 2));
        return skip(address);
    }
    const auto t = html_tag(rest_, in_word());
    if (t.state == span_state::none) return keep(1);
    in_tag_ = t.state == span_state::cut;
    if (in_tag_ || !is_inline_tag(rest_.substr(0, t.bytes))) out_.gap();
    cut_bytes_ = 0;
    skip(t.bytes);
}

void speech_cleaner::entity() {
    const auto e = first_entity(rest_);
    if (e.bytes == 0) return keep(1);
    out_.put(e.text);
    skip(e.bytes);
}

void speech_cleaner::escape() {
    if (in_formula_ || ends_at(1) || !is_punctuation(rest_[1])) return keep(1);
    // The marks of LaTeX around a formula.
    if (std::string_view("()[]").find(rest_[1]) != std::string_view::npos) return skip(2);
    skip(1);
    keep(1);
}

void speech_cleaner::dollars() {
    if (rest_.starts_with("$$")) {
        in_formula_ = !in_formula_;
        return skip(2);
    }
    const auto bytes = in_word() ? 0 : formula(rest_);
    if (bytes == 0) return keep(1);
    skip(1);
    keep(bytes - 2);
    skip(1);
}

void speech_cleaner::cell_end() {
    if (!in_row_) return keep(1);
    const auto next = std::min(rest_.find_first_not_of(" \t\r", 1), rest_.size());
    const bool is_last = ends_at(next) || rest_[next] == '\n';
    skip(next);
    if (row_has_cell_ && !is_last) out_.end_cell();
    if (is_last) out_.gap();
    row_has_cell_ = true;
}

bool speech_cleaner::address() {
    const auto bytes = in_word() ? 0 : web_address(rest_);
    if (bytes == 0) return false;
    say_address(rest_.substr(0, bytes));
    in_address_ = ends_at(bytes) && options_.urls == url_speech::host;
    skip(bytes);
    return true;
}

void speech_cleaner::say_address(std::string_view whole) {
    const bool is_web = web_address(whole) > 0;
    out_.put(is_web && options_.urls == url_speech::host ? host_of(whole) : whole);
}

}  // namespace tandem::text
