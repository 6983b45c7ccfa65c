#pragma once

#include "text/speech/speech_map.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace tandem::text {

/// Whether `c` is a letter, a mark that combines with letters, or a digit.
bool is_word_character(char32_t c) noexcept;

/// Joins the text that remains after removals: white space around a removal becomes a single space,
/// and two words stay separate.
class speech_writer {
 public:
    /// Appends text to speak: complete characters.
    void put(std::string_view text);
    /// Appends words to speak for the next `text_bytes` of the text.
    void put_replacement(std::size_t text_bytes, std::string_view words);
    /// The next bytes of the text are not spoken.
    void omit(std::size_t text_bytes) { builder_.omit(text_bytes); }
    /// Marks the removal of something that was not part of a word.
    void add_gap() noexcept { gap_ = true; }
    /// The last character put; 0 if there is none.
    char32_t last_character() const noexcept { return last_; }
    /// Ends a table cell that is followed by another one.
    void end_cell();

    /// Returns the text put since the last call. If a gap follows the text, white space at its end
    /// is removed. If the text is only white space, returns nothing, unless `keeps_white_space`.
    /// Later text is joined as if this text had not been taken.
    mapped_speech take(bool keeps_white_space);

 private:
    std::string_view settle_gap(std::string_view text);
    void append(std::string_view text);
    void trim(std::string_view marks);

    std::string out_;
    speech_run_builder builder_;
    char32_t last_ = 0;
    char32_t last_taken_ = 0;
    bool gap_ = false;
};

}  // namespace tandem::text
