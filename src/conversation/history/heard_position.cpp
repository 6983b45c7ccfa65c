#include "conversation/history/heard_position.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/sentences/trim_to_speakable.hpp"
#include "text/speech/speech_map.hpp"
#include "text/speech/speech_writer.hpp"

#include <cmath>

namespace tandem::conversations {
namespace {

/// Size in bytes of the first `characters` characters of `text`, or of all if there are fewer.
std::size_t bytes_of(std::string_view text, std::size_t characters) noexcept {
    std::size_t bytes = 0;
    for (; characters > 0 && bytes < text.size(); --characters)
        bytes += text::decode_first_character(text.substr(bytes)).bytes;
    return bytes;
}

char32_t character_before(std::string_view text, std::size_t at) noexcept {
    return text::decode_last_character(text.substr(0, at)).character;
}

char32_t character_at(std::string_view text, std::size_t at) noexcept {
    return text::decode_first_character(text.substr(at)).character;
}

/// End of the run of non-space characters that starts at `at`.
std::size_t end_of_run(std::string_view text, std::size_t at, std::size_t most) noexcept {
    while (at < most) {
        const auto c = text::decode_first_character(text.substr(at));
        if (text::is_white_space(c.character)) break;
        at += c.bytes;
    }
    return at;
}

std::size_t skip_space(std::string_view text, std::size_t at) noexcept {
    return text.size() - text::trim_leading_space(text.substr(at)).size();
}

bool says_something(std::string_view text) {
    return !text::trim_to_speakable(text).empty();
}

/// Whether one word may end and another start at `at`, which is inside the text.
bool parts_words(std::string_view text, std::size_t at) noexcept {
    const auto before = character_before(text, at);
    const auto next = character_at(text, at);
    if (text::is_white_space(before) || text::is_white_space(next)) return true;
    if (text::is_combining_mark(next)) return false;
    return text::is_written_without_spaces(before) || text::is_written_without_spaces(next);
}

std::size_t end_of_word(std::string_view text, std::size_t at) noexcept {
    do at += text::decode_first_character(text.substr(at)).bytes;
    while (at < text.size() && !parts_words(text, at));
    return at;
}

std::size_t start_of_word(std::string_view text, std::size_t at) noexcept {
    do at -= text::decode_last_character(text.substr(0, at)).bytes;
    while (at > 0 && !parts_words(text, at));
    return at;
}

bool cuts_word(std::string_view text, std::size_t at) {
    if (at == 0 || at >= text.size() || parts_words(text, at)) return false;
    return says_something(text.substr(at, end_of_word(text, at) - at));
}

std::size_t start_of_run(std::string_view text, std::size_t end) noexcept {
    while (end > 0 && !text::is_white_space(character_before(text, end)))
        end -= text::decode_last_character(text.substr(0, end)).bytes;
    return end;
}

}  // namespace

std::size_t count_heard_characters(std::string_view speech, double fraction) noexcept {
    if (!(fraction > 0)) return 0;
    const auto all = text::count_characters(speech);
    if (fraction >= 1) return all;
    // `fraction` is usually a quotient of two integers. Without this margin, rounding could lose a
    // character.
    constexpr double rounding = 1e-9;
    return static_cast<std::size_t>(std::floor(static_cast<double>(all) * fraction + rounding));
}

std::size_t count_characters_of_words(std::string_view speech, std::size_t words) noexcept {
    std::size_t end = 0;
    for (; words > 0 && end < speech.size(); --words) {
        const auto begin = skip_space(speech, end);
        if (begin == speech.size()) break;
        end = end_of_run(speech, begin, speech.size());
    }
    return text::count_characters(speech.substr(0, end));
}

std::size_t count_characters_said(std::string_view speech, std::string_view said) noexcept {
    said = text::trim_trailing_space(text::trim_leading_space(said));
    const auto begin = skip_space(speech, 0);
    if (speech.substr(begin).starts_with(said))
        return said.empty() ? 0 : text::count_characters(speech.substr(0, begin + said.size()));
    std::size_t words = 0;
    for (std::size_t at = 0; at < said.size(); ++words)
        at = skip_space(said, end_of_run(said, at, said.size()));
    return count_characters_of_words(speech, words);
}

std::size_t map_speech_to_text_offset(std::string_view text, std::string_view speech,
                                      std::span<const speech_run> runs, std::size_t spoken) {
    if (spoken == 0) return 0;
    const auto said = bytes_of(speech, spoken);
    if (said == speech.size()) return text.size();
    if (runs.empty()) return said;
    const auto place = text::find_text_place(runs, said);
    const bool ends_word = !text::is_white_space(character_before(speech, said)) &&
                           !text::is_word_character(character_at(speech, said));
    const auto end = ends_word ? end_of_run(text, place.before, place.after) : place.before;
    return text::floor_to_character(text, end);  // saved runs may split a character
}

std::size_t skip_closing_marks(std::string_view text, std::size_t offset) noexcept {
    if (offset == 0) return 0;
    auto end = offset;
    while (end < text.size() && text::is_trailing_mark(character_at(text, end)))
        end += text::decode_first_character(text.substr(end)).bytes;
    if (end == text.size() || !text::is_word_character(character_at(text, end))) return end;
    return parts_words(text, end) ? end : offset;
}

std::size_t floor_to_word_end(std::string_view text, std::size_t offset) {
    auto end = text::floor_to_character(text, offset);
    if (cuts_word(text, end)) end = start_of_word(text, end);
    for (;;) {
        end = text::trim_trailing_space(text.substr(0, end)).size();
        const auto begin = start_of_run(text, end);
        if (begin == end || says_something(text.substr(begin, end - begin))) return end;
        end = begin;
    }
}

}  // namespace tandem::conversations
