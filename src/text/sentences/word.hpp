#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tandem::text {

/// The word being read: letters, digits, and characters allowed inside a word ('.', '-', '@' …).
/// Keeps its first bytes in lower case and the kinds of its characters. Fixed size.
class word {
 public:
    void clear() noexcept { *this = word(); }
    void append(char32_t c) noexcept;

    bool empty() const noexcept { return last == 0; }
    /// In lower case. Empty if the word is too long to be kept; no list contains such a word.
    std::string_view text() const noexcept {
        return size_ > bytes_.size() ? std::string_view() : std::string_view(bytes_.data(), size_);
    }
    /// The part of text() after the last hyphen, slash or apostrophe.
    std::string_view tail() const noexcept;
    /// Single letters alternating with full stops: "u.s", "p.m", "j".
    bool is_initials() const noexcept {
        return letters > 0 && digits + others == 0 && longest_run_ < 2;
    }
    bool is_number() const noexcept { return digits > 0 && letters == 0; }
    /// "XIV", but not "I", which is also a word.
    bool is_roman() const noexcept;
    /// A URL, a path or a file name.
    bool is_address_or_path() const noexcept { return technical; }

    int letters = 0;
    int digits = 0;
    int stops = 0;
    int others = 0;  ///< other characters, except a hyphen after a stop
    bool starts_upper = false;
    bool has_upper = false;  ///< also after the first character
    bool has_lower = false;
    bool has_vowel = false;
    bool technical = false;
    char32_t last = 0;

 private:
    void append_letter(char32_t c, char32_t lower, bool first) noexcept;
    void keep(char32_t lower) noexcept;

    std::array<char, 32> bytes_{};
    std::size_t size_ = 0;  // bytes of the whole word, even if it is too long to be kept
    int run_ = 0;           // characters since the last stop or hyphen
    int longest_run_ = 0;
};

/// Whether `c` continues a word that has begun.
bool continues_word(char32_t c) noexcept;
/// Whether `c` can begin a word.
bool starts_word(char32_t c) noexcept;

}  // namespace tandem::text
