#include "text/speech/speech_writer.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <utility>

namespace tandem::text {
namespace {

constexpr std::string_view spaces = " \t\r\n";

bool is_one_of(char32_t c, std::string_view marks) noexcept {
    return c != 0 && c < 0x80 && marks.find(static_cast<char>(c)) != std::string_view::npos;
}

/// Whether `text` begins with a mark that no space precedes, so that a space before it is a
/// remainder of removed text.
bool ends_phrase(std::string_view text) noexcept {
    if (!is_one_of(decode_first_character(text).character, ".,;:!?)")) return false;
    return text.size() == 1 || !is_word_character(decode_first_character(text.substr(1)).character);
}

}  // namespace

bool is_word_character(char32_t c) noexcept {
    return is_letter(c) || is_digit(c);
}

void speech_writer::put(std::string_view text) {
    const auto rest = gap_ ? settle_gap(text) : text;
    builder_.omit(text.size() - rest.size());
    builder_.copy(rest.size());
    append(rest);
}

void speech_writer::put_replacement(std::size_t text_bytes, std::string_view words) {
    if (gap_) words = settle_gap(words);
    builder_.replace(words.size(), text_bytes);
    append(words);
}

void speech_writer::append(std::string_view text) {
    if (text.empty()) return;
    out_ += text;
    last_ = decode_last_character(text).character;
}

/// The part of `text` to write after the gap.
std::string_view speech_writer::settle_gap(std::string_view text) {
    const bool after_space = last_ == 0 || is_white_space(last_);
    while (after_space && !text.empty()) {
        const auto c = decode_first_character(text);
        if (!is_white_space(c.character)) break;
        if (c.character == '\n' && out_.ends_with(' ')) {
            trim(" ");
            gap_ = false;
            return text;
        }
        text.remove_prefix(c.bytes);
    }
    if (text.empty()) return text;
    gap_ = false;
    const auto next = decode_first_character(text).character;
    if (ends_phrase(text))
        trim(" ");
    else if (is_word_character(next) && (is_word_character(last_) || is_one_of(last_, ".,;:!?)")))
        put_replacement(0, " ");
    return text;
}

void speech_writer::end_cell() {
    trim(" \t");
    const bool needs_comma = is_word_character(last_) || is_one_of(last_, ")\"'%$");
    put_replacement(0, needs_comma ? ", " : " ");
}

void speech_writer::trim(std::string_view marks) {
    const auto kept = out_.find_last_not_of(marks) + 1;  // 0 if there is none
    builder_.drop_last_speech(out_.size() - kept);
    out_.resize(kept);
    last_ = out_.empty() ? last_taken_ : decode_last_character(out_).character;
}

mapped_speech speech_writer::take(bool keeps_white_space) {
    if (gap_) trim(spaces);
    if (is_all_white_space(out_) && !keeps_white_space) {
        gap_ |= !out_.empty();
        builder_.drop_last_speech(out_.size());
        out_.clear();
        last_ = last_taken_;
    }
    last_taken_ = last_;
    return {std::exchange(out_, {}), builder_.take()};
}

}  // namespace tandem::text
