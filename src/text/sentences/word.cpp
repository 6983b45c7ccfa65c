#include "text/sentences/word.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"

#include <algorithm>
#include <string>

namespace tandem::text {
namespace {

// Treats every non-ASCII letter as a vowel, because words with such letters usually contain vowels.
bool is_vowel(char32_t lower) noexcept {
    return lower == 'a' || lower == 'e' || lower == 'i' || lower == 'o' || lower == 'u' ||
           lower == 'y' || lower >= 0x80;
}

bool is_technical_character(char32_t c) noexcept {
    return c == '@' || c == '_' || c == '/' || c == '\\' || c == '=';
}

}  // namespace

void word::append(char32_t c) noexcept {
    const bool first = empty();
    const auto lower = to_lowercase(c);
    if (is_letter(c))
        append_letter(c, lower, first);
    else if (is_digit(c))
        ++digits;
    else if (c == '.')
        ++stops;
    else if (c != '-' || last != '.')  // "J.-J."
        ++others;
    if (is_technical_character(c) && !(c == '/' && letters < 2)) technical = true;
    run_ = c == '.' || c == '-' ? 0 : run_ + 1;
    longest_run_ = std::max(longest_run_, run_);
    last = c;
    keep(lower);
    if (c == '.' && stops == 1 && text() == "www.") technical = true;
}

void word::append_letter(char32_t c, char32_t lower, bool first) noexcept {
    ++letters;
    const bool upper = lower != c || is_uppercase(c);
    if (first) starts_upper = upper;
    if (!first && upper) has_upper = true;
    if (!upper && is_lowercase(c)) has_lower = true;
    if (is_vowel(lower)) has_vowel = true;
}

void word::keep(char32_t lower) noexcept {
    std::string encoded;
    append_utf8(encoded, lower);
    size_ += encoded.size();
    if (size_ <= bytes_.size())
        std::copy(encoded.begin(), encoded.end(), bytes_.begin() + (size_ - encoded.size()));
}

bool word::is_roman() const noexcept {
    return letters > 1 && !has_lower && stops + digits + others == 0 && !text().empty() &&
           text().find_first_not_of("ivxlcdm") == std::string_view::npos;
}

std::string_view word::tail() const noexcept {
    constexpr std::string_view typographic_apostrophe = "\xE2\x80\x99";
    const auto t = text();
    const auto cut = t.find_last_of("-/'");
    const auto start = cut == t.npos ? 0 : cut + 1;
    const auto curly = t.rfind(typographic_apostrophe);
    return t.substr(curly == t.npos ? start
                                    : std::max(start, curly + typographic_apostrophe.size()));
}

bool starts_word(char32_t c) noexcept {
    return is_letter(c) || is_digit(c);
}

bool continues_word(char32_t c) noexcept {
    return starts_word(c) || c == '\'' || c == 0x2019 || c == '-' || c == 0x2010 || c == 0x2011 ||
           c == '/' || c == '@' || c == '_' || c == '&' || c == '=' || c == '\\' || c == 0xB0 ||
           c == 0xBA || c == 0xAA;
}

}  // namespace tandem::text
