#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tandem::text {

/// A word as it is read: letters, digits, and what may stand inside one ('.', '-', '@' …). Keeps
/// the first bytes of it, in lower case, and what its characters were. Fixed size.
class word {
 public:
    void clear() noexcept { *this = word(); }
    void append(char32_t c) noexcept;

    bool empty() const noexcept { return last == 0; }
    /// In lower case. Empty if the word was too long to be kept: it is in no list then.
    std::string_view text() const noexcept {
        return too_long_ ? std::string_view() : std::string_view(bytes_.data(), size_);
    }
    /// What stands after the last hyphen, slash or apostrophe of text().
    std::string_view tail() const noexcept;
    /// Letters and full stops in turn, one letter each: "u.s", "p.m", "j".
    bool is_initials() const noexcept { return letters > 0 && digits == 0 && single_ && !other; }
    bool is_number() const noexcept { return digits > 0 && letters == 0; }
    /// "XIV"; not "I", which is a word too.
    bool is_roman() const noexcept;
    /// An address, a path or a file's name.
    bool is_technical() const noexcept { return technical; }

    int letters = 0;
    int digits = 0;
    int stops = 0;
    bool starts_upper = false;
    bool has_upper = false;  ///< behind the first character too
    bool has_lower = false;
    bool has_vowel = false;
    bool technical = false;
    bool other = false;  ///< has characters that are no letters, digits or stops
    char32_t last = 0;

 private:
    void append_letter(char32_t c, char32_t lower, bool first) noexcept;
    void keep(char32_t lower) noexcept;

    std::array<char, 32> bytes_{};
    std::size_t size_ = 0;
    bool too_long_ = false;
    bool single_ = true;
    int run_ = 0;
};

/// Whether a word continues with it, if it began already.
bool continues_word(char32_t c) noexcept;
/// Whether a word can begin with it.
bool starts_word(char32_t c) noexcept;

}  // namespace tandem::text
