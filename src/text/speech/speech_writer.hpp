#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// A letter, digit, or other part of a word; not punctuation, nor white space.
bool is_word_character(char32_t c) noexcept;

/// Joins what is left of a text: white space around what was left out becomes one, and two words
/// stay two.
class speech_writer {
 public:
    /// Text to be spoken: whole characters.
    void put(std::string_view text);
    /// Something that was no part of a word is left out here.
    void gap() noexcept { gap_ = true; }
    /// A cell of a table ends here, and another follows.
    void end_cell();

    /// What was put since the last call, without white space before a gap at its end; empty if it
    /// is white space only. What follows is joined as if it had not been taken.
    std::string take();

 private:
    std::string_view settle_gap(std::string_view text);
    void trim(std::string_view marks);

    std::string out_;
    char32_t last_ = 0;
    char32_t last_taken_ = 0;
    bool gap_ = false;
};

}  // namespace tandem::text
