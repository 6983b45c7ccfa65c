// The part of speech_cleaner that reads single marks: emphasis, links, tags, entities, addresses.
#include "text/characters/characters.hpp"
#include "text/characters/html_entities.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/markdown_lines.hpp"
#include "text/speech/markdown_spans.hpp"
#include "text/speech/speech_cleaner.hpp"
#include "text/speech/speech_marks.hpp"

#include <algorithm>

namespace tandem::text {
namespace {

constexpr std::size_t max_language_length = 32;  // after the backticks of a code block
constexpr std::size_t max_reported_marks = 256;

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

void speech_cleaner::handle_backticks() {
    const auto length = count_leading_marks('`', rest_);
    if (code_span_ == 0 && open_inline_fence(length)) return;
    if (code_span_ == 0)
        code_span_ = length;
    else if (code_span_ == length)
        code_span_ = 0;
    skip(length);
}

/// Opens a code block at the end of a line, as some models write it: "Run this: ```sh".
bool speech_cleaner::open_inline_fence(std::size_t length) {
    const auto within = rest_.substr(0, length + max_language_length);
    const auto end = within.find_first_of(" \t`\n", length);
    if (length < 3 || end == std::string_view::npos || within[end] != '\n') return false;
    fence_ = code_fence{'`', length};
    out_.add_gap();
    place_ = place::fence_line;
    end_paragraph();
    return true;
}

void speech_cleaner::handle_emphasis_mark(emphasis& e) {
    const auto length = count_leading_marks(e.mark, rest_);
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
    const auto next = character_after(length);
    if (is_space_or_end(before_) || (e.open & strength(length)) == 0) return false;
    if (e.mark == '_') return !in_word() || !is_word_character(next);
    return !is_ascii_digit(before_) || !is_ascii_digit(next);
}

bool speech_cleaner::opens(const emphasis& e, std::size_t length) const noexcept {
    const auto next = character_after(length);
    // At the end of a chunk, the next character is unknown, so two or three marks count as
    // emphasis, but not a single one.
    if (next == 0 ? length < 2 : is_white_space(next)) return false;
    const bool ends_term = before_ == ')' || before_ == ']' || before_ == '}';
    if (!in_word() && !ends_term) return true;
    const bool between_digits = is_ascii_digit(before_) || is_ascii_digit(next);
    return e.mark == '*' && !between_digits && (next == 0 || is_closed_later(length));
}

/// Whether the next run of stars on the line has the same length and may close emphasis.
bool speech_cleaner::is_closed_later(std::size_t length) const noexcept {
    const auto at = rest_.find_first_of("*\n", length);
    if (at == std::string_view::npos || rest_[at] == '\n') return false;
    const auto later = rest_.substr(at);
    const auto last = decode_last_character(rest_.substr(0, at)).character;
    return count_leading_marks('*', later) == length && !is_white_space(last);
}

void speech_cleaner::handle_strike_mark() {
    const auto length = count_leading_marks('~', rest_);
    if (length > 2) {
        out_.add_gap();
        return skip(length);
    }
    const bool closes = strike_ && !is_space_or_end(before_);
    const bool opens = !is_space_or_end(character_after(length));
    if (length != 2 || !(closes || opens)) return keep(length);
    strike_ = !closes;
    skip(length);
}

/// Drops the `#` marks at the end of a heading.
void speech_cleaner::handle_closing_hashes() {
    const auto length = count_leading_marks('#', rest_);
    const auto end = std::min(rest_.find_first_not_of(" \t\r", length), rest_.size());
    const bool is_last = ends_at(end) || rest_[end] == '\n';
    if (line_kind_ != line_kind::heading || !is_last || !is_space_or_end(before_))
        return keep(length);
    out_.add_gap();
    skip(length);
}

/// Bytes of the footnote at this place; 0 if there is none. A number that touches no word may be
/// part of the sentence: "Your seat is [12]."
std::size_t speech_cleaner::measure_footnote() const noexcept {
    constexpr std::u32string_view ends = U".!?)%’”“»。！？」』）";
    const auto bytes = match_footnote(rest_);
    const auto last = out_.last_character();
    if (bytes == 0 || rest_[1] == '^' || before_ == ']') return bytes;
    if (is_word_character(last) || (last != 0 && ends.find(last) != ends.npos)) return bytes;
    const auto later = rest_.substr(bytes);
    const bool is_linked = match_link_target(later).state != span_state::none;
    return is_linked || match_footnote(later) > 0 ? bytes : 0;
}

void speech_cleaner::handle_opening_bracket() {
    const std::size_t mark = rest_.starts_with("![") ? 1 : 0;
    if (rest_[0] == '!' && mark == 0) return keep(1);
    if (const auto note = mark ? 0 : measure_footnote()) {
        out_.add_gap();
        skip(note);
        return handle_link_target(0);
    }
    const auto text = match_link_text(rest_.substr(mark));
    const auto next = text.state == span_state::whole ? character_after(mark + text.bytes) : 0;
    const bool is_link = (next == '(' && match_link_target(rest_.substr(mark + text.bytes)).state !=
                                             span_state::none) ||
                         (next == '[' && match_link_text(rest_.substr(mark + text.bytes)).state ==
                                             span_state::whole);
    if (!is_link && text.state != span_state::cut) return keep(mark + 1);
    if (mark) out_.add_gap();
    links_ += is_link;
    maybe_link_ |= !is_link;
    skip(mark + 1);
}

void speech_cleaner::handle_closing_bracket() {
    const auto next = character_after(1);
    if (links_ == 0 && !maybe_link_) return keep(1);
    if (before_ == '[') out_.add_gap();
    if (links_ > 0 && next == '(') {
        --links_;
        return handle_link_target(1);
    }
    if (links_ > 0 && next == '[') {
        --links_;
        return skip(1 + match_link_text(rest_.substr(1)).bytes);
    }
    if (!maybe_link_) return keep(1);
    maybe_link_ = false;
    handle_link_target(1);
}

/// Drops the `bracket` bytes and the link target after them.
void speech_cleaner::handle_link_target(std::size_t bracket) {
    const auto t = match_link_target(rest_.substr(std::min(bracket, rest_.size())));
    if (t.state == span_state::cut) cut_ = cut_span::target;
    cut_bytes_ = 0;
    skip(bracket + (t.state == span_state::none ? 0 : t.bytes));
}

bool speech_cleaner::handle_speech_mark() {
    const auto mark = match_speech_mark(rest_, options_->mark_tags);
    if (mark.bytes == 0) return false;
    if (options_->marks == mark_speech::keep) {
        out_.put_replacement(mark.bytes, rest_.substr(0, mark.bytes));
        advance(mark.bytes);
        return true;
    }
    if (options_->marks == mark_speech::report && marks_.size() < max_reported_marks)
        marks_.push_back({chunk_.size() - rest_.size(), mark.tag, std::string(mark.label)});
    out_.add_gap();
    skip(mark.bytes);
    return true;
}

void speech_cleaner::handle_tag() {
    if (const auto address = match_bracketed_address(rest_)) {
        skip(1);
        speak_address(address - 2);
        return skip(1);
    }
    const auto t = match_html_tag(rest_, in_word());
    if (t.state == span_state::none) return handle_bracketed_name();
    const bool is_cut = t.state == span_state::cut;
    const bool is_comment = character_after(1) == '!' || character_after(1) == '?';
    if (is_cut) cut_ = is_comment ? cut_span::comment : cut_span::tag;
    cut_quote_ = t.quote;
    if (is_cut || !is_inline_tag(rest_.substr(0, t.bytes))) out_.add_gap();
    cut_bytes_ = 0;
    skip(t.bytes);
}

void speech_cleaner::handle_bracketed_name() {
    const auto bytes = in_word() ? 0 : match_bracketed_name(rest_);
    if (bytes == 0) return keep(1);
    skip(1);
    keep(bytes - 2);
    out_.add_gap();
    skip(1);
}

void speech_cleaner::handle_entity() {
    const auto e = parse_leading_entity(rest_);
    if (e.bytes == 0) return keep(1);
    out_.put_replacement(e.bytes, e.text);
    advance(e.bytes);
}

void speech_cleaner::handle_escape() {
    if (in_formula_ || ends_at(1) || !is_punctuation(rest_[1])) return keep(1);
    // The LaTeX delimiters of a formula.
    if (std::string_view("()[]").find(rest_[1]) != std::string_view::npos) return skip(2);
    skip(1);
    keep(1);
}

void speech_cleaner::handle_dollars() {
    if (rest_.starts_with("$$")) {
        in_formula_ = !in_formula_;
        return skip(2);
    }
    const auto bytes = in_word() ? 0 : match_formula(rest_);
    if (bytes == 0) return keep(1);
    skip(1);
    keep(bytes - 2);
    skip(1);
}

void speech_cleaner::handle_cell_end() {
    const bool has_cell = line_kind_ == line_kind::row_after_cell;
    if (!has_cell && line_kind_ != line_kind::row) return keep(1);
    const auto next = std::min(rest_.find_first_not_of(" \t\r", 1), rest_.size());
    const bool is_last = ends_at(next) || rest_[next] == '\n';
    skip(next);
    if (has_cell && !is_last) out_.end_cell();
    if (is_last) out_.add_gap();
    line_kind_ = line_kind::row_after_cell;
}

bool speech_cleaner::handle_address() {
    const auto bytes = in_word() ? 0 : match_web_address(rest_);
    if (bytes == 0) return false;
    if (ends_at(bytes) && options_->urls == url_speech::host) cut_ = cut_span::address;
    speak_address(bytes);
    return true;
}

void speech_cleaner::speak_address(std::size_t bytes) {
    const auto whole = rest_.substr(0, bytes);
    const bool is_host = options_->urls == url_speech::host && match_web_address(whole) > 0;
    const auto spoken = is_host ? extract_host(whole) : whole;
    const auto begin = static_cast<std::size_t>(spoken.data() - whole.data());
    skip(begin);
    keep(spoken.size());
    skip(bytes - begin - spoken.size());
}

}  // namespace tandem::text
