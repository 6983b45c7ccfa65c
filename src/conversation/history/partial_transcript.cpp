#include "conversation/history/partial_transcript.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace tandem::conversations {
namespace {

using std::string_view;

// A run without spaces that is longer than a word is text in a language written without spaces.
constexpr std::size_t max_word_bytes = 40;
constexpr int characters_of_word = 4;

/// `text` without its last characters.
string_view without_characters(string_view text, int count) noexcept {
    for (; count > 0 && !text.empty(); --count)
        text.remove_suffix(text::decode_last_character(text).bytes);
    return text;
}

string_view first_characters(string_view text, std::size_t count) noexcept {
    std::size_t end = 0;
    for (; count > 0 && end < text.size(); --count)
        end += text::decode_first_character(text.substr(end)).bytes;
    return text.substr(0, end);
}

/// The offset after the last white space.
std::size_t start_of_last_word(string_view text) noexcept {
    auto rest = text;
    while (!rest.empty()) {
        const auto last = text::decode_last_character(rest);
        if (text::is_white_space(last.character)) break;
        rest.remove_suffix(last.bytes);
    }
    return rest.size();
}

// Marks that recognizers add and revise without changing words.
constexpr std::u32string_view silent_marks =
    U".,;:!?"
    U"\u2026\u00bf\u00a1\u060c\u061b\u061f\u06d4\u0964\u3001\u3002\uff0c\uff1b\uff1a\uff01\uff1f";

/// Converts to lower case, and removes spaces and silent marks, but not within numbers: "3.5", ".5"
/// and "1 2" keep them.
std::string fold_words(string_view text) {
    constexpr char32_t curly_apostrophe = 0x2019;
    std::string folded;
    bool ends_with_digit = false;
    bool is_apart = false;
    while (!text.empty()) {
        const auto [c, bytes] = text::decode_first_character(text);
        text.remove_prefix(bytes);
        const bool is_before_digit =
            !text.empty() && text::is_digit(text::decode_first_character(text).character);
        const bool is_space = text::is_white_space(c);
        is_apart = is_apart || is_space;
        if (is_space || (silent_marks.find(c) != silent_marks.npos && !is_before_digit)) continue;
        const bool is_digit = text::is_digit(c);
        if (std::exchange(is_apart, false) && is_digit && ends_with_digit) folded += ' ';
        text::append_utf8(folded, c == curly_apostrophe ? U'\'' : text::to_lowercase(c));
        ends_with_digit = is_digit;
    }
    return folded;
}

}  // namespace

bool has_same_words(string_view a, string_view b) {
    const auto folded = fold_words(a);
    return !folded.empty() && folded == fold_words(b);
}

bool is_beginning_of(string_view beginning, string_view whole) {
    return fold_words(whole).starts_with(fold_words(beginning));
}

string_view select_settled_words(string_view text, std::optional<std::size_t> stable) noexcept {
    if (stable) return text::trim_trailing_space(first_characters(text, *stable));
    const auto start = start_of_last_word(text);
    if (text.size() - start > max_word_bytes) return without_characters(text, characters_of_word);
    return text::trim_trailing_space(text.substr(0, start));
}

string_view select_repeated_words(string_view before, string_view now) noexcept {
    const auto end = std::ranges::mismatch(before, now).in2;
    return select_settled_words(now.substr(0, static_cast<std::size_t>(end - now.begin())), {});
}

bool server_failed_to_roll_back(int cached, int evaluated, std::size_t kept_bytes,
                                std::size_t prompt_bytes) noexcept {
    // The share of bytes is only an estimate of the share of tokens: in some languages, the words
    // have more tokens per byte than the prompt before them.
    constexpr double tolerance = 2;
    constexpr int few_tokens = 16;
    const auto revised = static_cast<double>(prompt_bytes - kept_bytes);
    const double share = prompt_bytes > 0 ? revised / static_cast<double>(prompt_bytes) : 0;
    return evaluated > few_tokens + tolerance * share * (cached + evaluated);
}

bool is_worth_prefill(string_view words, string_view before) noexcept {
    const auto [end, ignored] =
        std::mismatch(words.begin(), words.end(), before.begin(), before.end());
    const auto fresh = words.substr(static_cast<std::size_t>(end - words.begin()));
    if (fresh.size() > max_word_bytes) return true;
    return start_of_last_word(text::trim_leading_space(fresh)) > 0;
}

}  // namespace tandem::conversations
