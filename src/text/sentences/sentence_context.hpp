#pragma once

#include "text/sentences/word.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::text {

/// Tracks the open quotes, brackets and marks at the current position and the words of the sentence
/// so far. Fixed size for any length of text. Does not decide where sentences end.
class sentence_context {
 public:
    /// Starts a new sentence; open marks stay open.
    void start_sentence() noexcept;
    void read(char32_t c) noexcept;
    /// Makes the full stop after the last word part of it: "www.example", "3.5", "U.S".
    void append_stop_to_word() noexcept;

    /// Inside a quotation of a script with spaces, in which sentences can end.
    bool is_quoted() const noexcept;
    /// Characters read since that quotation began.
    std::uint32_t quotation_age() const noexcept { return depth_ == 0 ? 0 : open_[depth_ - 1].age; }
    /// Inside brackets, code or quotes of other scripts, where no sentence ends. An opening mark
    /// expires if its closing mark does not follow in time.
    bool is_enclosed() const noexcept;
    /// Whether `c`, read at this position, closes something rather than opens it.
    bool closes(char32_t c) const noexcept;
    /// Whether the mark that `c` closes is open.
    bool is_open_mark(char32_t c) const noexcept { return is_open(opener_of(c)); }
    char32_t previous() const noexcept { return previous_; }
    bool is_in_fence() const noexcept;
    bool is_in_tag() const noexcept { return tag_; }

    /// Whether letters or digits were read.
    bool has_content() const noexcept { return words_ > 0; }
    int words() const noexcept { return words_; }
    /// The word being read; empty if another character follows the last word.
    const word& open_word() const noexcept { return in_word_ ? word_ : no_word_; }
    /// The last word, even if white space follows it; empty if any other character follows it.
    const word& last_word() const noexcept { return gap_ ? no_word_ : word_; }
    const word& word_before() const noexcept { return before_; }
    /// Only the marks of a list or heading precede the last word.
    bool is_first_word() const noexcept { return words_ == 1; }
    bool is_numbered_line() const noexcept { return marker_; }
    bool starts_lowercase() const noexcept { return first_lower_; }
    /// The mark between the last word and the word before it; 0 if only white space separates them.
    char32_t mark_before_word() const noexcept { return mark_before_word_; }
    /// A line of Markdown that starts with #.
    bool is_heading() const noexcept { return heading_; }
    /// Markdown's _ was opened.
    bool has_open_underscore() const noexcept { return underscore_; }
    /// Markdown's * or ** was opened.
    bool has_open_emphasis() const noexcept { return emphasis_; }
    /// The item of a list starts with emphasized words: "1. **Salt.** Add a pinch."
    bool is_label() const noexcept { return label_ && words_ <= 5; }
    /// A single quote was opened. Its end is unknown, because apostrophes look the same.
    bool has_single_quote() const noexcept { return single_quote_; }
    /// An aside was opened with a dash – like this – and not closed. False in a dialogue, where
    /// dashes precede what is said.
    bool has_open_dash() const noexcept { return dashes_ % 2 == 1 && !is_dialogue_; }
    /// The mark closed last was opened as the first character of the sentence.
    bool closed_opening_mark() const noexcept { return closed_from_start_; }
    bool closed_after_colon() const noexcept { return closed_after_colon_; }
    /// The last letter read; identifies the script.
    char32_t last_letter() const noexcept { return last_letter_; }

 private:
    struct opening {
        char32_t mark = 0;
        std::uint32_t age = 0;
        bool from_start = false;
        bool after_colon = false;
    };

    bool is_in_code() const noexcept;
    bool goes_on_in_tag(char32_t c) noexcept;
    void read_emphasis() noexcept;
    void read_line_break() noexcept;
    void read_backticks() noexcept;
    void read_mark(char32_t c) noexcept;
    void read_word_character(char32_t c) noexcept;
    bool opens_here() const noexcept;
    void open(char32_t c) noexcept;
    void close(char32_t opener) noexcept;
    bool is_open(char32_t opener) const noexcept;
    char32_t opener_of(char32_t c) const noexcept;

    std::array<opening, 16> open_{};
    std::size_t depth_ = 0;
    word no_word_;
    word word_;
    word before_;
    bool in_word_ = false;
    bool gap_ = false;  // a character other than white space follows the last word
    int words_ = 0;
    int dashes_ = 0;
    int backticks_ = 0;
    bool backticks_open_ = false;
    char32_t mark_before_word_ = 0;
    bool heading_ = false;
    bool underscore_ = false;
    bool emphasis_ = false;
    bool label_ = false;
    bool single_quote_ = false;
    bool is_dialogue_ = false;
    bool fence_ = false;
    bool maybe_fence_ = false;  // the back-ticks of a fence, with a language, end the line so far
    bool code_ = false;
    std::uint32_t code_age_ = 0;
    bool line_start_ = true;  // the line has no letters or digits so far
    bool marker_ = false;
    bool tag_ = false;
    bool tag_has_value_ = false;
    int tag_words_ = 0;  // before the first value
    std::uint32_t tag_age_ = 0;
    bool first_lower_ = false;
    bool closed_from_start_ = false;
    bool closed_after_colon_ = false;
    char32_t previous_ = 0;  // 0 at the start
    char32_t last_visible_ = 0;
    char32_t last_letter_ = 0;
};

}  // namespace tandem::text
