#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// A letter, digit, or other part of a word, but not punctuation or white space.
bool is_word_character(char32_t c) noexcept;

/// Joins the text that remains after removals: white space around a removal becomes a single space,
/// and two words stay separate.
class speech_writer {
 public:
    /// Appends text to speak: complete characters.
    void put(std::string_view text);
    /// Marks the removal of something that was not part of a word.
    void gap() noexcept { gap_ = true; }
    /// Ends a table cell that is followed by another one.
    void end_cell();

    /// Returns the text put since the last call, without white space before a gap at its end; empty
    /// if it is only white space. Later text is joined as if this text had not been taken.
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
