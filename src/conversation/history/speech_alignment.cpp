#include "conversation/history/speech_alignment.hpp"

#include "text/characters/emoji.hpp"
#include "text/characters/html_entities.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"
#include "text/speech/markdown_spans.hpp"
#include "text/speech/speech_writer.hpp"

#include <optional>

namespace tandem::conversations {
namespace {

// How far ahead to search for a character: the maximum length of a link target.
constexpr std::size_t look_ahead = text::max_link_target_bytes;
// How many characters must agree if words of the text are skipped, nearby and farther away.
constexpr std::size_t near_by = 64;
constexpr int short_run = 4;
constexpr int long_run = 8;
// Cost of a failed search, which has tested up to `look_ahead` marks.
constexpr int guesses_of_a_search = 64;
// Maximum number of marks between two matching characters.
constexpr int most_marks = 32;

struct unit {
    char32_t character = 0;
    std::size_t bytes = 0;
};

/// The character that the text displays here, decoded if it is an HTML entity.
unit first_unit(std::string_view text) {
    if (text.starts_with('&'))
        if (const auto e = text::parse_leading_entity(text); e.bytes > 0)
            return {text::decode_first_character(e.text).character, e.bytes};
    const auto c = text::decode_first_character(text);
    return {c.character, c.bytes};
}

bool is_of_word(char32_t c) noexcept {
    return text::is_word_character(c) && !text::is_emoji_part(c);
}

/// Bytes that speech may omit without losing a word; 0 at a word.
std::size_t silent_bytes(std::string_view text) {
    if (text.starts_with('<')) {
        const auto tag = text::match_html_tag(text, false);
        if (tag.state == text::span_state::whole) return tag.bytes;
    }
    if (text.starts_with(']')) {
        const auto target = text::match_link_target(text.substr(1));
        if (target.state == text::span_state::whole) return 1 + target.bytes;
    }
    if (const auto emoji = text::measure_leading_emoji(text)) return emoji;
    const auto u = first_unit(text);
    return is_of_word(u.character) ? 0 : u.bytes;
}

/// Finds `said` in the text if only marks precede it, at most `marks` of them.
std::optional<unit> find_behind_marks(std::string_view& text, char32_t said, int marks) {
    for (; !text.empty() && marks >= 0; --marks) {
        const auto u = first_unit(text);
        if (u.character == said) return u;
        const auto silent = silent_bytes(text);
        if (silent == 0) return std::nullopt;
        text.remove_prefix(silent);
    }
    return std::nullopt;
}

std::size_t leading_white_space(std::string_view text) noexcept {
    std::size_t bytes = 0;
    for (;;) {
        const auto c = text::decode_first_character(text.substr(bytes));
        if (c.bytes == 0 || !text::is_white_space(c.character)) return bytes;
        bytes += c.bytes;
    }
}

}  // namespace

speech_alignment::speech_alignment(std::string_view text, std::string_view speech)
    : text_(text), speech_(speech) {
    skip_white_space();
}

void speech_alignment::skip_white_space() noexcept {
    position_ += leading_white_space(unmatched_speech());
}

speech_alignment::byte_range speech_alignment::match_next() {
    const auto said = text::decode_first_character(unmatched_speech());
    if (said.bytes == 0) return {text_.size(), text_.size()};
    auto found = find(said.character);
    if (found.begin == found.end) found = find_after_words(said.bytes);
    at_ = found.end;
    position_ += said.bytes;
    skip_white_space();
    return found;
}

speech_alignment::byte_range speech_alignment::find(char32_t said) {
    if (guesses_ <= 0) return {at_, at_};
    auto text = text_.substr(0, text::floor_to_character(text_, at_ + look_ahead)).substr(at_);
    const auto u = find_behind_marks(text, said, static_cast<int>(look_ahead));
    if (!u) guesses_ -= guesses_of_a_search;
    if (!u) return {at_, at_};
    const auto begin = static_cast<std::size_t>(text.data() - text_.data());
    return {begin, begin + u->bytes};
}

/// As find_behind_marks(), if words of the text, such as code, are not spoken: the following
/// characters must agree too.
speech_alignment::byte_range speech_alignment::find_after_words(std::size_t said_bytes) {
    const auto said = unmatched_speech().substr(0, said_bytes);
    const auto within = text_.substr(0, text::floor_to_character(text_, at_ + look_ahead));
    for (auto at = within.find(said, at_); at != within.npos && guesses_ > 0;
         at = within.find(said, at + said.size())) {
        --guesses_;
        if (matches_text_at(at)) return {at, at + said.size()};
    }
    return {at_, at_};
}

/// Whether the text from `at` on matches the following speech, up to its end or far enough.
bool speech_alignment::matches_text_at(std::size_t at) const {
    auto text = text_.substr(at);
    auto speech = unmatched_speech();
    for (int run = at - at_ <= near_by ? short_run : long_run; run > 0 && !speech.empty(); --run) {
        const auto space = leading_white_space(speech);
        speech.remove_prefix(space);
        if (speech.empty()) return true;
        if (space > 0 && !text.empty() && is_of_word(first_unit(text).character)) return false;
        const auto said = text::decode_first_character(speech);
        const auto u = find_behind_marks(text, said.character, most_marks);
        if (!u) return false;
        text.remove_prefix(u->bytes);
        speech.remove_prefix(said.bytes);
    }
    return true;
}

}  // namespace tandem::conversations
