#include "text/sentences/sentence_context.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::text {
namespace {

// In characters. A tag without an end would suppress all further sentence ends.
constexpr std::uint32_t max_tag = 200;

bool is_dash(char32_t c) noexcept {
    return c == '-' || c == 0x2013 || c == 0x2014;
}

bool is_latin_letter(char32_t c) noexcept {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

}  // namespace

void sentence_context::start_sentence() noexcept {
    marks_.start_sentence();
    code_.start_sentence();
    word_.clear();
    before_.clear();
    place_ = place::after_word;
    words_ = 0;
    emphasis_ = {};
    dash_ = dash::none;
    heading_ = single_quote_ = marker_ = false;
    mark_before_word_ = last_visible_ = first_letter_ = 0;
}

void sentence_context::read(char32_t c) noexcept {
    if (c == '\n' || c == 0x2028 || c == 0x2029) return read_line_break();
    if (c == '`') return read_backtick();
    code_.read(c);
    marks_.advance();
    if (read_in_tag(c)) return;
    const bool space = is_white_space(c);
    // "他是Dr. Smith": scripts without spaces have no space before a foreign word either.
    if (is_in_word() && is_latin_letter(c) && is_cjk(word_.last)) end_word();
    if (is_in_word() ? continues_word(c) : starts_word(c))
        read_word_character(c);
    else if (space)
        end_word();
    else
        read_mark(c);
    if (!space) last_visible_ = c;
    previous_ = c;
}

void sentence_context::end_word() noexcept {
    if (is_in_word()) place_ = place::after_word;
}

/// Returns true if `c` is part of a tag. "2 <b and c" contains none: the words after a tag's name
/// are attributes, of which the first must have a value.
bool sentence_context::read_in_tag(char32_t c) noexcept {
    if (tag_ && (c == '>' || ++tag_->age > max_tag)) {
        tag_.reset();
        previous_ = last_visible_ = c;
        return true;
    }
    if (previous_ == '<' && (c == '/' || is_letter(c))) tag_ = open_tag{};
    if (!tag_) return false;
    if (c == '=') tag_->has_value = true;
    if (is_white_space(c) && !is_white_space(previous_) && !tag_->has_value) ++tag_->words;
    if (tag_->words < 2)
        previous_ = c;
    else
        tag_.reset();
    return tag_.has_value();
}

void sentence_context::read_backtick() noexcept {
    code_.read_backtick(is_in_word());
    place_ = place::after_mark;
    previous_ = last_visible_ = '`';
}

void sentence_context::read_line_break() noexcept {
    code_.read_line_break();
    marks_.clear();
    tag_.reset();
    end_word();
    marker_ = false;
    previous_ = '\n';
}

void sentence_context::read_word_character(char32_t c) noexcept {
    if (!is_in_word()) {
        const bool is_after_mark = place_ == place::after_mark;
        before_ = is_after_mark ? word() : word_;
        word_.clear();
        // "0 °C" is not an initial.
        if (previous_ == 0xB0 || previous_ == 0xBA) word_.others = 1;
        mark_before_word_ = is_after_mark && is_white_space(previous_) ? last_visible_ : 0;
        place_ = place::in_word;
        if (words_ < 1000) ++words_;
        marker_ = words_ == 1;
    }
    if (is_letter(c)) {
        if (words_ == 1 && word_.letters == 0) first_letter_ = c;
        last_letter_ = c;
    }
    word_.append(c);
}

void sentence_context::read_mark(char32_t c) noexcept {
    const bool was_in_word = is_in_word();
    if (c == '#' && words_ == 0) heading_ = true;
    if (c == '_') emphasis_.is_underscore_open = opens_here();
    if ((c == '\'' || c == 0x2018) && opens_here()) single_quote_ = true;
    end_word();
    if (closes(c)) {
        marks_.close(marks_.opener_of(c));
        if (c != '"') place_ = place::after_mark;
    } else if (c == '"' || is_opening_mark(c)) {
        // After a number, `"` means inches or seconds, and opens no quotation.
        if (!(c == '"' && was_in_word && word_.is_number())) open(c);
        place_ = place::after_mark;
    } else if (is_dash(c)) {
        read_dash(was_in_word);
        place_ = place::after_mark;
    } else if (c == '*') {
        if (previous_ != '*') read_emphasis();
    } else if (c != '%' && c != '_' && c != '.' && c != 0xB0) {
        place_ = place::after_mark;
    }
    if (c == ':' && was_in_word && (word_.text() == "http" || word_.text() == "https")) {
        word_.technical = true;
        place_ = place::in_word;
    }
}

void sentence_context::open(char32_t c) noexcept {
    const bool colon = last_visible_ == ':' || last_visible_ == 0xFF1A || last_visible_ == ',' ||
                       last_visible_ == 0xFF0C;
    marks_.open(c, words_ == 0, colon);
}

void sentence_context::read_dash(bool in_word) noexcept {
    if (words_ == 0)
        dash_ = dash::dialogue;
    else if (dash_ != dash::dialogue && !is_dash(previous_) && !in_word)
        dash_ = dash_ == dash::none ? dash::aside : dash::none;
}

void sentence_context::read_emphasis() noexcept {
    const bool is_after_marker =
        (words_ == 1 && word_.is_number()) || (words_ == 0 && dash_ == dash::dialogue);
    emphasis_.read_star(is_after_marker);
}

void sentence_context::emphasis::read_star(bool after_marker) noexcept {
    is_star_open = !is_star_open;
    if (is_star_open && after_marker) has_label = true;
}

void sentence_context::append_stop_to_word() noexcept {
    code_.reject_fence_at_end();
    if (word_.empty() || place_ == place::after_mark) return;
    word_.append('.');
    place_ = place::in_word;
    previous_ = '.';
}

bool sentence_context::opens_here() const noexcept {
    return previous_ == 0 || last_visible_ == 0 || is_white_space(previous_) ||
           is_opening_mark(previous_) || previous_ == '"' || previous_ == '*' || previous_ == '_' ||
           is_dash(previous_) || previous_ == 0xFF1A || previous_ == 0xFF0C || previous_ == '>' ||
           previous_ == ':' || is_cjk(previous_);
}

bool sentence_context::is_enclosed() const noexcept {
    return code_.is_in_fence() || code_.is_in_code() || tag_ || marks_.is_enclosed();
}

bool sentence_context::starts_lowercase() const noexcept {
    return is_lowercase(first_letter_);
}

}  // namespace tandem::text
