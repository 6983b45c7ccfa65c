#include "text/sentences/sentence_context.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace tandem::text {
namespace {

// Limits, in characters, after which an unbalanced mark is ignored; otherwise it would suppress all
// further sentence ends.
constexpr std::uint32_t max_enclosed = 400;
constexpr std::uint32_t max_quoted = 1000;
constexpr std::uint32_t max_tag = 200;

constexpr std::u32string_view latin_quotes = U"\"“”„«»‚";
constexpr std::u32string_view openers = U"([{（［｛「『【《〈〔«„‚“”";
constexpr std::u32string_view brackets_open = U"([{（［｛「『【《〈〔";
constexpr std::u32string_view brackets_close = U")]}）］｝」』】》〉〕";

bool is_latin_quote(char32_t c) noexcept {
    return latin_quotes.find(c) != latin_quotes.npos;
}

bool is_bracket(char32_t c) noexcept {
    return c == '(' || c == '[' || c == '{' || c == 0xFF08 || c == 0xFF3B;
}

bool is_dash(char32_t c) noexcept {
    return c == '-' || c == 0x2013 || c == 0x2014;
}

bool is_latin_letter(char32_t c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

void sentence_context::start_sentence() noexcept {
    word_.clear();
    before_.clear();
    in_word_ = gap_ = false;
    words_ = dashes_ = 0;
    emphasis_ = label_ = underscore_ = heading_ = false;
    first_lower_ = single_quote_ = is_dialogue_ = false;
    mark_before_word_ = 0;
    marker_ = false;
    closed_from_start_ = closed_after_colon_ = false;
    code_ = false;
    last_visible_ = 0;
    // A quotation may continue across sentences; a bracket may not.
    const auto kept =
        std::remove_if(open_.begin(), open_.begin() + static_cast<std::ptrdiff_t>(depth_),
                       [](const opening& o) { return !is_latin_quote(o.mark); });
    depth_ = static_cast<std::size_t>(kept - open_.begin());
}

void sentence_context::read(char32_t c) noexcept {
    if (c == '\n' || c == 0x2028 || c == 0x2029) return read_line_break();
    if (c == '`') {
        // After a letter it is an Armenian accent or a closing mark.
        if (backticks_++ == 0) backticks_open_ = !in_word_;
        in_word_ = false;
        gap_ = true;
        previous_ = last_visible_ = c;
        return;
    }
    if (backticks_ > 0) read_backticks();
    maybe_fence_ = maybe_fence_ && continues_word(c);
    line_start_ = line_start_ && !starts_word(c);
    for (std::size_t i = 0; i < depth_; ++i) ++open_[i].age;
    if (code_ && ++code_age_ > max_enclosed) code_ = false;
    if (tag_ && (c == '>' || ++tag_age_ > max_tag)) {
        tag_ = false;
        previous_ = last_visible_ = c;
        return;
    }
    if (previous_ == '<' && (c == '/' || is_letter(c))) {
        tag_ = true;
        tag_has_value_ = false;
        tag_age_ = 0;
        tag_words_ = 0;
    }
    if (tag_ && goes_on_in_tag(c)) {
        previous_ = c;
        return;
    }
    const bool space = is_white_space(c);
    // "他是Dr. Smith": scripts without spaces have none before a foreign word either.
    if (in_word_ && is_latin_letter(c) && is_cjk(word_.last)) in_word_ = false;
    if (in_word_ ? continues_word(c) : starts_word(c))
        read_word_character(c);
    else if (space)
        in_word_ = false;
    else
        read_mark(c);
    if (!space) last_visible_ = c;
    previous_ = c;
}

/// "2 <b and c" is not a tag: words after a tag's name must have values.
bool sentence_context::goes_on_in_tag(char32_t c) noexcept {
    tag_has_value_ = tag_has_value_ || c == '=';
    if (is_white_space(c) && !is_white_space(previous_) && !tag_has_value_) ++tag_words_;
    tag_ = tag_words_ < 2;
    return tag_;
}

void sentence_context::read_line_break() noexcept {
    if (backticks_ > 0) read_backticks();
    fence_ = fence_ || std::exchange(maybe_fence_, false);
    depth_ = 0;
    code_ = tag_ = false;
    in_word_ = false;
    line_start_ = true;
    marker_ = false;
    previous_ = '\n';
}

void sentence_context::read_backticks() noexcept {
    const bool fence = is_in_fence();
    const bool code = is_in_code();
    maybe_fence_ = backticks_ >= 3 && code && !code_;
    fence_ = fence;
    code_ = code;
    code_age_ = 0;
    backticks_ = 0;
}

void sentence_context::read_word_character(char32_t c) noexcept {
    if (!in_word_) {
        before_ = gap_ ? word() : word_;
        word_.clear();
        // "0 °C" is not an initial.
        word_.other = previous_ == 0xB0 || previous_ == 0xBA;
        in_word_ = true;
        mark_before_word_ = gap_ && is_white_space(previous_) ? last_visible_ : 0;
        gap_ = false;
        if (words_ < 1000) ++words_;
        marker_ = words_ == 1;
    }
    if (is_letter(c)) {
        if (words_ == 1 && word_.letters == 0) first_lower_ = is_lowercase(c);
        last_letter_ = c;
    }
    word_.append(c);
}

void sentence_context::read_mark(char32_t c) noexcept {
    const bool was_in_word = in_word_;
    if (c == '#' && words_ == 0) heading_ = true;
    if (c == '_') underscore_ = opens_here();
    if ((c == '\'' || c == 0x2018) && opens_here()) single_quote_ = true;
    in_word_ = false;
    if (const auto opener = opener_of(c); opener && closes(c)) {
        close(opener);
        gap_ = gap_ || c != '"';
    } else if (c == '"' || openers.find(c) != openers.npos) {
        // After a number the mark means inches or seconds.
        if (!(c == '"' && was_in_word && word_.is_number())) open(c);
        gap_ = true;
    } else if (is_dash(c)) {
        if (words_ == 0) is_dialogue_ = true;
        if (words_ > 0 && !is_dash(previous_) && !was_in_word) ++dashes_;
        gap_ = true;
    } else if (c == '*') {
        if (previous_ != '*') read_emphasis();
    } else if (c != '%' && c != '_' && c != '.' && c != 0xB0) {
        gap_ = true;
    }
    if (c == ':' && was_in_word && (word_.text() == "http" || word_.text() == "https")) {
        word_.technical = true;
        in_word_ = true;
        gap_ = false;
    }
}

void sentence_context::read_emphasis() noexcept {
    emphasis_ = !emphasis_;
    const bool is_after_marker =
        (words_ == 1 && word_.is_number()) || (words_ == 0 && is_dialogue_);
    label_ = label_ || (emphasis_ && is_after_marker);
}

void sentence_context::append_stop_to_word() noexcept {
    maybe_fence_ = false;
    if (word_.empty() || gap_) return;
    word_.append('.');
    in_word_ = true;
    previous_ = '.';
}

bool sentence_context::opens_here() const noexcept {
    return previous_ == 0 || last_visible_ == 0 || is_white_space(previous_) ||
           openers.find(previous_) != openers.npos || previous_ == '"' || previous_ == '*' ||
           previous_ == '_' || is_dash(previous_) || previous_ == 0xFF1A || previous_ == 0xFF0C ||
           previous_ == '>' || previous_ == ':' || is_cjk(previous_);
}

/// The opening mark that `c` closes; 0 if `c` closes nothing.
char32_t sentence_context::opener_of(char32_t c) const noexcept {
    if (const auto at = brackets_close.find(c); at != brackets_close.npos) return brackets_open[at];
    switch (c) {
        case '"':
            return '"';
        case 0x201D:  // ”
            return is_open(0x201C) ? 0x201C : (is_open(0x201E) ? 0x201E : 0x201D);
        case 0x201C:  // “, which closes „
            return 0x201E;
        case 0xBB:  // »
            return 0xAB;
        case 0xAB:  // «, which closes »
            return 0xBB;
        default:
            return 0;
    }
}

bool sentence_context::closes(char32_t c) const noexcept {
    const auto opener = opener_of(c);
    if (!opener) return false;
    if (brackets_close.find(c) != brackets_close.npos) return true;
    if (is_open(opener)) return true;
    return !opens_here();
}

bool sentence_context::is_open(char32_t opener) const noexcept {
    for (std::size_t i = 0; i < depth_; ++i)
        if (open_[i].mark == opener) return true;
    return false;
}

void sentence_context::open(char32_t c) noexcept {
    if (depth_ == open_.size()) return;
    const bool colon = last_visible_ == ':' || last_visible_ == 0xFF1A || last_visible_ == ',' ||
                       last_visible_ == 0xFF0C;
    open_[depth_++] = {c, 0, words_ == 0, colon};
}

void sentence_context::close(char32_t opener) noexcept {
    for (auto i = depth_; i > 0; --i) {
        if (open_[i - 1].mark != opener) continue;
        closed_from_start_ = open_[i - 1].from_start && !is_bracket(opener);
        closed_after_colon_ = open_[i - 1].after_colon;
        depth_ = i - 1;
        return;
    }
}

// Three back-ticks count as a fence at once, although more may follow. A fence starts its line or
// ends it; at the end of a line it takes effect with the line break.
bool sentence_context::is_in_fence() const noexcept {
    return backticks_ >= 3 ? !fence_ && line_start_ : fence_;
}

bool sentence_context::is_in_code() const noexcept {
    if (fence_ || backticks_ == 0 || is_in_fence()) return code_;
    return !code_ && backticks_open_;
}

bool sentence_context::is_enclosed() const noexcept {
    if (is_in_fence() || is_in_code() || tag_) return true;
    for (std::size_t i = 0; i < depth_; ++i)
        if (open_[i].age <= max_enclosed && !is_latin_quote(open_[i].mark)) return true;
    return false;
}

bool sentence_context::is_quoted() const noexcept {
    return depth_ > 0 && open_[depth_ - 1].age <= max_quoted &&
           is_latin_quote(open_[depth_ - 1].mark);
}

}  // namespace tandem::text
