#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::conversations {

/// Finds the characters of a chunk's speech in its text, one after the other. Speech is text of
/// which marks, tags, targets of links, emoji and code are left out, and in which references of
/// HTML are replaced. White space is ignored, as cleaning changes it. Both views must outlive the
/// object.
class speech_alignment {
 public:
    /// Bytes of the text where a character stands; begin == end if the text does not have it there.
    struct place {
        std::size_t begin = 0;
        std::size_t end = 0;
    };

    speech_alignment(std::string_view text, std::string_view speech);

    /// Where in the speech the next character is that is no white space; its size if there is none.
    std::size_t position() const noexcept { return position_; }
    /// Finds that character, never before the last one found, and steps over it. At the end of the
    /// speech it is the end of the text.
    place next();

 private:
    std::string_view rest() const noexcept { return speech_.substr(position_); }
    place find(char32_t said);
    place find_behind_words(std::size_t said_bytes);
    bool goes_on_at(std::size_t at) const;
    void skip_white_space() noexcept;

    std::string_view text_;
    std::string_view speech_;
    std::size_t position_ = 0;
    std::size_t at_ = 0;  // the text up to here is behind
    int guesses_ = 4096;  // places looked at, so that no text takes long
};

}  // namespace tandem::conversations
