#include "text/speech/speech_cleaner.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/emoji.hpp"
#include "text/characters/html_entities.hpp"
#include "text/characters/utf8.hpp"
#include "text/speech/markdown_spans.hpp"

#include <algorithm>
#include <array>

namespace tandem::text {
namespace {

constexpr int max_line_mark_depth = 16;

/// Bytes that may start a mark; all others are plain text.
constexpr auto is_special = [] {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("\n`*_~#![]<(&\\$|hw"))
        table[static_cast<unsigned char>(c)] = true;
    // The first bytes of emoji and their modifiers.
    for (const auto c : {0xC2u, 0xE2u, 0xE3u, 0xEFu, 0xF0u, 0xF3u}) table[c] = true;
    return table;
}();

std::size_t plain_text(std::string_view text) noexcept {
    const auto special = [](char c) { return is_special[static_cast<unsigned char>(c)]; };
    return static_cast<std::size_t>(std::ranges::find_if(text, special) - text.begin());
}

}  // namespace

speech_cleaner::speech_cleaner(speech_options options)
    : options_(std::make_shared<const speech_options>(std::move(options))) {}

mapped_speech speech_cleaner::clean(std::string_view chunk) {
    const bool is_exact = options_->form == speech_form::exact;
    chunk_ = rest_ = chunk;
    marks_.clear();
    finish_cut_span();
    while (!rest_.empty()) {
        if (is_exact)
            read_exact();
        else if (fence_)
            read_code();
        else if (place_ == place::line_start)
            start_line();
        else
            read_inline();
    }
    return out_.take(is_exact);
}

void speech_cleaner::keep(std::size_t bytes) {
    out_.put(rest_.substr(0, bytes));
    advance(bytes);
}

void speech_cleaner::skip(std::size_t bytes) {
    out_.omit(std::min(bytes, rest_.size()));
    advance(bytes);
}

void speech_cleaner::advance(std::size_t bytes) {
    if (bytes == 0) return;
    before_ = decode_last_character(rest_.substr(0, bytes)).character;
    rest_.remove_prefix(std::min(bytes, rest_.size()));
}

char32_t speech_cleaner::character_after(std::size_t bytes) const noexcept {
    return ends_at(bytes) ? 0 : decode_first_character(rest_.substr(bytes)).character;
}

void speech_cleaner::finish_cut_span() {
    if (cut_ == cut_span::target) return skip_to(')');
    if (cut_ == cut_span::comment) return skip_to('>');
    if (cut_ == cut_span::tag) return skip_tag_rest();
    if (cut_ == cut_span::address) skip(match_web_address_rest(rest_));
    cut_ = cut_span::none;
}

void speech_cleaner::read_exact() {
    keep(std::min(rest_.find_first_of("[<(*"), rest_.size()));
    if (!rest_.empty() && !handle_speech_mark()) keep(1);
}

/// Skips the rest of a span that began in an earlier chunk. Gives up at the end of the line, and
/// after the maximum size of such a span.
void speech_cleaner::skip_to(char end) {
    const char ends[] = {end, '\n'};
    const auto most = floor_to_character(rest_, max_link_target_bytes - cut_bytes_);
    const auto within = rest_.substr(0, most);
    const auto at = within.find_first_of(std::string_view(ends, 2));
    if (at != std::string_view::npos || most < rest_.size()) cut_ = cut_span::none;
    cut_bytes_ += within.size();
    skip(at != std::string_view::npos && rest_[at] == end ? at + 1 : std::min(at, most));
}

/// Skips the rest of a tag that began in an earlier chunk. Text that cannot belong to the tag is
/// spoken.
void speech_cleaner::skip_tag_rest() {
    const auto t = match_tag_rest(rest_, cut_quote_);
    cut_bytes_ += t.bytes;
    cut_quote_ = t.quote;
    const bool goes_on = t.state == span_state::cut && cut_bytes_ <= max_link_target_bytes;
    if (!goes_on) cut_ = cut_span::none;
    if (goes_on || t.state == span_state::whole) skip(t.bytes);
}

void speech_cleaner::read_code() {
    const auto text = line();
    const bool has_end = text.size() < rest_.size();
    if (place_ == place::fence_line) {
        if (has_end) place_ = place::line_start;
        return skip(text.size() + has_end);
    }
    const auto body = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    const auto indent = text.size() - body.size();
    const auto marks = place_ == place::line_start ? measure_closing_fence(*fence_, body) : 0;
    if (marks > 0) return end_code(indent + marks);
    if (const auto code = measure_code_before_fence(*fence_, body)) {
        speak_code(indent + code);
        return end_code(line().size());
    }
    place_ = has_end ? place::line_start : place::in_line;
    speak_code(text.size() + has_end);
}

void speech_cleaner::speak_code(std::size_t bytes) {
    if (options_->code == code_speech::spoken) return keep(bytes);
    out_.add_gap();
    skip(bytes);
}

/// Ends the code block with a closing fence.
void speech_cleaner::end_code(std::size_t fence_bytes) {
    fence_.reset();
    place_ = place::in_line;
    out_.add_gap();
    skip(fence_bytes);
}

void speech_cleaner::start_line() {
    if (skip_blank_line()) return;
    for (int depth = 0; depth < max_line_mark_depth; ++depth) {
        const auto text = line();
        const auto body = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
        if (skip_whole_line(body)) return;
        const auto mark = skip_line_mark(body);
        if (mark == 0) break;
        skip(text.size() - body.size() + mark);
        if (rest_.empty()) out_.add_gap();
        if (line_kind_ == line_kind::heading) break;
    }
    place_ = place::in_line;
}

/// Consumes a blank line, if there is one, and returns whether there was.
bool speech_cleaner::skip_blank_line() {
    const auto text = line();
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) return false;
    const bool has_end = text.size() < rest_.size();
    if (has_end) end_paragraph();
    keep(text.size() + has_end);
    return true;
}

/// Drops a line without words, or enters the code block that the line opens.
bool speech_cleaner::skip_whole_line(std::string_view body) {
    const auto indent = line().size() - body.size();
    if (is_horizontal_rule(body)) {
        out_.add_gap();
        skip(indent + body.size());
        place_ = place::in_line;
        return true;
    }
    fence_ = parse_opening_fence(body);
    if (!fence_) return false;
    out_.add_gap();
    skip(indent);
    place_ = place::fence_line;
    end_paragraph();
    return true;
}

std::size_t speech_cleaner::skip_line_mark(std::string_view body) {
    line_kind_ = body.starts_with('|') ? line_kind::row : line_kind::text;
    if (const auto heading = measure_heading_mark(body)) {
        line_kind_ = line_kind::heading;
        return heading;
    }
    return std::max(measure_quote_mark(body), measure_bullet_mark(body));
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
    if (handle_speech_mark()) return;
    switch (rest_[0]) {
        case '\n':
            return handle_line_break();
        case '`':
            return handle_backticks();
        case '*':
            return handle_emphasis_mark(stars_);
        case '_':
            return handle_emphasis_mark(lines_);
        case '~':
            return handle_strike_mark();
        case '#':
            return handle_closing_hashes();
        case '!':
        case '[':
            return handle_opening_bracket();
        case ']':
            return handle_closing_bracket();
        case '<':
            return handle_tag();
        case '&':
            return handle_entity();
        case '\\':
            return handle_escape();
        case '$':
            return handle_dollars();
        case '|':
            return handle_cell_end();
        default:
            return read_other();
    }
}

/// Reads an address, an emoji, or a plain character.
void speech_cleaner::read_other() {
    if (handle_address()) return;
    const auto c = decode_first_character(rest_);
    const bool removes = options_->emoji == emoji_speech::removed;
    if (const auto emoji = removes ? measure_leading_emoji(rest_) : 0) {
        out_.add_gap();
        return skip(emoji);
    }
    const bool changes_emoji =
        is_emoji_modifier(c.character) || (c.character == zero_width_joiner &&
                                           (is_pictograph(before_) || is_emoji_modifier(before_)));
    if (removes && changes_emoji) return skip(c.bytes);
    keep(c.bytes);
}

void speech_cleaner::handle_line_break() {
    keep(1);
    place_ = place::line_start;
    line_kind_ = line_kind::text;
    code_span_ = 0;
}

}  // namespace tandem::text
