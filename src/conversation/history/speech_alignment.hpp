#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::conversations {

/// Finds the characters of a chunk's speech in its text, in order. Speech omits marks, tags, link
/// targets, emoji and code of the text, and replaces HTML entities. White space is ignored, because
/// cleaning changes it. Both views must outlive the object.
class speech_alignment {
 public:
    /// The bytes of a character in the text; begin == end if the text does not contain it there.
    struct byte_range {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    speech_alignment(std::string_view text, std::string_view speech);

    /// Position in the speech of the next character that is not white space; the size of the speech
    /// if there is none.
    std::size_t position() const noexcept { return position_; }
    /// Finds that character, never before the last one found, and advances past it. At the end of
    /// the speech, returns the end of the text.
    byte_range match_next();

 private:
    std::string_view unmatched_speech() const noexcept { return speech_.substr(position_); }
    byte_range find(char32_t said);
    byte_range find_after_words(std::size_t said_bytes);
    bool matches_text_at(std::size_t at) const;
    void skip_white_space() noexcept;

    std::string_view text_;
    std::string_view speech_;
    std::size_t position_ = 0;
    std::size_t at_ = 0;  // the text before this is already matched
    int guesses_ = 4096;  // remaining positions to test; bounds the time for any text
};

}  // namespace tandem::conversations
