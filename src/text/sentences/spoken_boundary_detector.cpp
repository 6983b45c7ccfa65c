#include "text/sentences/spoken_boundary_detector.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/emoji.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <utility>

namespace tandem::text {
namespace {

using kind = end_mark::kind;
using word_kind = end_mark::word_kind;

constexpr int max_held_tag = 200;
// In letters. A few words in another script do not change the language, but a sentence does.
constexpr int max_script_lead = 30;
constexpr std::u32string_view closing_marks = U"\"'”’“»«›)]}）］｝」』】》〉〕*_~`";
constexpr std::u32string_view emphasis_marks = U"*_~";

bool is_line_break(char32_t c) noexcept {
    return c == '\n' || c == 0x2028 || c == 0x2029;
}

bool is_closing_mark(char32_t c) noexcept {
    return closing_marks.find(c) != closing_marks.npos;
}

bool is_emphasis(char32_t c) noexcept {
    return emphasis_marks.find(c) != emphasis_marks.npos;
}

/// Whether the token is only a mark; long runs of marks come in several tokens.
bool is_mark_alone(std::string_view token) noexcept {
    const auto c = decode_first_character(token).character;
    return token.size() < 4 && (c == '.' || is_exclamation_or_question(c));
}

/// The lexicon to use after many letters of this script if no language is set; null if the script
/// suggests none.
const lexicon* lexicon_of_script(char32_t c) {
    static const auto& english = lexicon::get("en");
    if (!is_letter(c)) return nullptr;
    if (c < 0x80) return &english;
    static const auto& russian = lexicon::get("ru");
    static const auto& greek = lexicon::get("el");
    static const auto& hindi = lexicon::get("hi");
    static const auto& bengali = lexicon::get("bn");
    if (is_cyrillic(c)) return &russian;
    if (is_greek(c)) return &greek;
    if (c >= 0x900 && c < 0x980) return &hindi;
    return c >= 0x980 && c < 0xA00 ? &bengali : nullptr;
}

}  // namespace

spoken_boundary_detector::spoken_boundary_detector(std::string_view language)
    : words_(&lexicon::get(language)), hint_(language) {}

boundary_verdict spoken_boundary_detector::feed(std::string_view token) {
    ++token_;
    auto rest = token;
    while (!rest.empty()) {
        const auto first = static_cast<unsigned char>(rest.front());
        const auto c = first < 0x80 ? decoded_character{first, 1} : decode_first_character(rest);
        read(c.character, c.bytes);
        rest.remove_prefix(c.bytes);
    }
    finish_token(token);
    return current();
}

boundary_verdict spoken_boundary_detector::end_sentence_after(std::size_t bytes) {
    base_ += bytes;
    if (open_ && bytes > 0 && open_->end <= base_) resolve(open_->end == base_);
    while (!settled_.empty() && settled_.front() <= base_) settled_.pop_front();
    return current();
}

boundary_verdict spoken_boundary_detector::finish() {
    if (open_ && !open_->after.characters.empty()) {
        open_->after.is_final = true;
        decide();
    }
    return current();
}

void spoken_boundary_detector::read(char32_t c, std::size_t bytes) {
    length_ += bytes;
    if (hint_.empty()) choose_language(c);
    if (!open_ || !consume_after_mark(c)) {
        if (open_) {
            open_->after.characters += c;
            decide();
        } else {
            read_outside(c);
        }
    }
    if (!is_white_space(c)) content_end_ = length_;
}

void spoken_boundary_detector::read_outside(char32_t c) {
    if (is_line_break(c) && !context_.is_in_fence()) return on_line_break();
    if (start_mark(c)) return;
    context_.read(c);
}

void spoken_boundary_detector::on_line_break() {
    const auto& w = context_.last_word();
    const bool marker = context_.is_first_word() &&
                        (w.last == '.' || (w.is_number() && context_.is_numbered_line()));
    context_.read('\n');
    if (context_.is_in_fence() || !context_.has_content() || marker) return;
    // If a chunk has already ended here, at a limit, the end is not reported again.
    if (content_end_ > base_) settled_.push_back(content_end_);
    context_.start_sentence();
}

bool spoken_boundary_detector::start_mark(char32_t c) {
    const auto what = classify_end_mark(c, context_);
    if (!what || !context_.has_content() || context_.is_in_fence() || context_.is_in_tag())
        return false;
    open_ =
        undecided_mark{make_end_mark(*what, c, context_, *words_), length_, token_, {}, false, 0};
    return true;
}

/// Whether `c` belongs to the open mark: a further mark, a closing mark, white space or an emoji.
bool spoken_boundary_detector::consume_after_mark(char32_t c) {
    auto& o = *open_;
    if (o.tag > 0) return consume_closing_tag(c);
    if (!o.after.characters.empty()) return false;
    if (is_line_break(c)) return consume_line_break();
    if (is_white_space(c)) return o.after.space = true;
    if (is_emoji_part(c)) {
        o.mark.has_emoji = true;
        o.end = length_;
        return true;
    }
    if (c == '<' && !o.after.space) return ++o.tag > 0;
    return consume_mark(c) || consume_closing_mark(c);
}

bool spoken_boundary_detector::consume_closing_tag(char32_t c) {
    const bool is_tag = open_->tag > 1 || c == '/';
    if (!is_tag || ++open_->tag > max_held_tag) {
        handle_false_tag(c);
        return true;
    }
    if (c != '>') return true;
    open_->tag = 0;
    return extend_mark();
}

/// Handles text that was not a tag after all: "I like it.<3"
void spoken_boundary_detector::handle_false_tag(char32_t c) {
    open_->tag = 0;
    open_->after.characters = {U'<', c};
    decide();
}

bool spoken_boundary_detector::consume_line_break() {
    // "1." or "Dr." is not a sentence, even on a line of its own.
    const auto& m = open_->mark;
    const bool says_nothing = m.what == kind::stop && context_.is_first_word() &&
                              (m.last_is == word_kind::marker || m.last_is == word_kind::never);
    resolve(!context_.is_enclosed() && !says_nothing);
    context_.read('\n');
    return true;
}

/// Extends the mark, with its closing marks, to the current position.
bool spoken_boundary_detector::extend_mark() {
    open_->end = length_;
    open_->token = token_;
    open_->after.space = false;
    return true;
}

bool spoken_boundary_detector::consume_mark(char32_t c) {
    auto& m = open_->mark;
    const bool touches = !open_->after.space;
    const auto what = classify_end_mark(c, context_);
    if (!what || *what == kind::emoji) return false;
    if (c == '.' && m.what != kind::hard && m.what != kind::emoji && !m.closed) {
        if (!touches && !m.spaced) return false;
        ++m.stops;
        if (m.what == kind::stop) m.what = kind::ellipsis;
        return extend_mark();
    }
    if (!touches) return false;
    if (m.closed && c == '.') return extend_mark();
    if (m.what == kind::emoji) m.spaced = true;
    if (c == ellipsis_mark ? m.what == kind::stop : m.what != kind::hard) m.what = *what;
    m.asks = m.asks || (*what == kind::shout && c != '!');
    return extend_mark();
}

bool spoken_boundary_detector::consume_closing_mark(char32_t c) {
    const bool touches = !open_->after.space;
    const bool may_open = c == '"' || c == 0x201C || c == 0xAB;
    const bool closes = touches ? is_closing_mark(c) && (!may_open || context_.closes(c))
                                : context_.is_open_mark(c);
    // "file._name" is one word.
    const bool joins = c == '_' && open_->mark.what == kind::stop;
    if (!closes || (joins && !context_.has_open_underscore())) return false;
    context_.read(c);
    open_->has_closer = true;
    open_->mark.is_label = open_->mark.is_label || (c == '*' && context_.is_label());
    open_->mark.closed = open_->mark.closed || !is_emphasis(c);
    return extend_mark();
}

void spoken_boundary_detector::decide() {
    auto& o = *open_;
    // In the middle of a word, another letter adds no information.
    const bool in_word = o.after.characters.size() > 2 && is_letter(o.after.characters.back());
    if (in_word && !o.after.is_final && o.after.characters.size() < max_following_characters)
        return;
    const auto j = decide_sentence_end(o.mark, context_, o.after, *words_);
    if (j != sentence_decision::undecided) resolve(j == sentence_decision::ends);
}

/// Closes the decided mark, and reads the text after it again, as part of this sentence or of the
/// next.
void spoken_boundary_detector::resolve(bool ends) {
    const auto o = std::move(*open_);
    open_.reset();
    if (ends) {
        settled_.push_back(o.end);
        context_.start_sentence();
    } else if (o.mark.what == kind::stop && !o.after.space && !o.mark.closed && !o.mark.has_emoji) {
        context_.append_stop_to_word();
    } else if (!o.mark.closed) {
        context_.read(o.mark.mark);
    }
    if (o.after.space) context_.read(' ');
    const std::u32string_view again = o.after.characters;
    if (again.empty()) return;
    for (const auto c : again.substr(0, again.size() - 1)) context_.read(c);
    // Only the last character, which completes the word after the mark, can itself be a mark.
    read_outside(again.back());
}

void spoken_boundary_detector::finish_token(std::string_view token) {
    if (open_ && !is_all_white_space(token)) {
        if (!open_->after.characters.empty())
            decide_by_next_token(token);
        else if (ends_before_next_token(token))
            resolve(ends_if_nothing_follows(open_->mark, context_));
    }
    classify_token(token);
}

/// Decides at the end of the token after the mark, because the detector may not wait for another
/// one.
void spoken_boundary_detector::decide_by_next_token(std::string_view token) {
    if (token_ == open_->token) return;
    open_->after.is_final = true;
    open_->after.is_piece = token.starts_with(' ');
    decide();
}

/// Whether the mark is decided although only white space and emoji follow it.
bool spoken_boundary_detector::ends_before_next_token(std::string_view token) const {
    const auto& o = *open_;
    // A full stop may follow the emoji.
    if (o.mark.what == kind::emoji) return false;
    // The emoji used up the one token of lookahead.
    if (token_ > o.token) return o.mark.has_emoji;
    if (!word_pieces_) return false;
    const bool is_alone = last_was_word_ && is_mark_alone(token);
    return o.tag == 0 && !o.has_closer && !o.after.space &&
           (is_alone || o.mark.what == kind::hard) &&
           ends_without_lookahead(o.mark, context_, *words_);
}

/// Notes whether tokens look like word pieces: at most one space, at the start.
void spoken_boundary_detector::classify_token(std::string_view token) noexcept {
    const auto body = token.substr(token.starts_with(' ') ? 1 : 0);
    const auto last = decode_last_character(body);
    const auto space = body.find(' ');
    if (space != body.npos && body.find_first_not_of(" \n") != body.npos) word_pieces_ = false;
    last_was_word_ = body.size() > last.bytes && is_letter(last.character);
}

boundary_verdict spoken_boundary_detector::current() const {
    boundary_verdict v;
    if (!settled_.empty())
        v.settled = settled_.front() - base_;
    else if (open_ && open_->end > base_ && ends_if_nothing_follows(open_->mark, context_))
        v.pending = open_->end - base_;
    return v;
}

/// The script of the most recent letters decides: a single π does not make a reply Greek.
void spoken_boundary_detector::choose_language(char32_t c) {
    if (c >= 0x80 && c < 0x370) return;
    const auto* likely = lexicon_of_script(c);
    if (!likely) return;
    if (likely == words_)
        script_lead_ = std::min(script_lead_ + 1, max_script_lead);
    else if (script_lead_ > 0)
        --script_lead_;
    else
        words_ = likely;
}

}  // namespace tandem::text
