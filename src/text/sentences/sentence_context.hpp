#pragma once

#include "text/sentences/enclosing_mark_tracker.hpp"
#include "text/sentences/markdown_code_tracker.hpp"
#include "text/sentences/word.hpp"

#include <cstdint>
#include <optional>

namespace tandem::text {

/// Tracks the open quotes, brackets and marks at the current position, and the words of the
/// sentence so far. Its size does not depend on the length of the text. Does not decide where
/// sentences end.
class sentence_context {
 public:
    /// Starts a new sentence; open marks stay open.
    void start_sentence() noexcept;
    void read(char32_t c) noexcept;
    /// Makes the full stop after the last word a part of that word: "www.example", "3.5", "U.S".
    void append_stop_to_word() noexcept;

    /// Whether the position is in a quotation of a script with spaces, where sentences can end.
    bool is_quoted() const noexcept { return marks_.is_quoted(); }
    /// Characters read since that quotation began.
    std::uint32_t quotation_age() const noexcept { return marks_.quotation_age(); }
    /// Whether the position is inside brackets, code or quotes of other scripts, where no sentence
    /// ends. An opening mark expires if its closing mark does not follow in time.
    bool is_enclosed() const noexcept;
    /// Whether `c`, read at this position, closes something rather than opens it.
    bool closes(char32_t c) const noexcept { return marks_.closes(c, opens_here()); }
    /// Whether the mark that `c` closes is open.
    bool is_open_mark(char32_t c) const noexcept { return marks_.is_open(marks_.opener_of(c)); }
    char32_t previous() const noexcept { return previous_; }
    bool is_in_fence() const noexcept { return code_.is_in_fence(); }
    bool is_in_tag() const noexcept { return tag_.has_value(); }

    /// Whether letters or digits were read.
    bool has_content() const noexcept { return words_ > 0; }
    int words() const noexcept { return words_; }
    /// The word being read; empty if another character follows the last word.
    const word& open_word() const noexcept { return is_in_word() ? word_ : no_word_; }
    /// The last word, even if white space follows it; empty if any other character follows it.
    const word& last_word() const noexcept {
        return place_ == place::after_mark ? no_word_ : word_;
    }
    const word& word_before() const noexcept { return before_; }
    /// Whether only the marks of a list or heading precede the last word.
    bool is_first_word() const noexcept { return words_ == 1; }
    bool is_numbered_line() const noexcept { return marker_; }
    bool starts_lowercase() const noexcept;
    /// The mark between the last word and the word before it; 0 if only white space separates them.
    char32_t mark_before_word() const noexcept { return mark_before_word_; }
    /// Whether this is a line of Markdown that starts with #.
    bool is_heading() const noexcept { return heading_; }
    /// Whether Markdown's _ is open.
    bool has_open_underscore() const noexcept { return emphasis_.is_underscore_open; }
    /// Whether Markdown's * or ** is open.
    bool has_open_emphasis() const noexcept { return emphasis_.is_star_open; }
    /// Whether a list item starts with emphasized words: "1. **Salt.** Add a pinch."
    bool is_label() const noexcept { return emphasis_.has_label && words_ <= 5; }
    /// Whether a single quote was opened. Its end is unknown, because apostrophes look the same.
    bool has_single_quote() const noexcept { return single_quote_; }
    /// Whether an aside was opened with a dash – like this – and not closed. False in a dialogue,
    /// where dashes precede what is said.
    bool has_open_dash() const noexcept { return dash_ == dash::aside; }
    /// Whether the mark closed last was opened as the first character of the sentence.
    bool closed_opening_mark() const noexcept { return marks_.closed_opening_mark(); }
    bool closed_after_colon() const noexcept { return marks_.closed_after_colon(); }
    /// The last letter read; identifies the script.
    char32_t last_letter() const noexcept { return last_letter_; }

 private:
    enum class place { in_word, after_word, after_mark };  ///< after_mark: a mark follows the word
    enum class dash { none, aside, dialogue };             ///< opened by dashes

    /// Markdown's emphasis in the sentence.
    struct emphasis {
        void read_star(bool after_marker) noexcept;

        bool is_underscore_open = false;
        bool is_star_open = false;
        bool has_label = false;
    };

    struct open_tag {
        std::uint32_t age = 0;
        int words = 0;  // before the first value
        bool has_value = false;
    };

    bool is_in_word() const noexcept { return place_ == place::in_word; }
    void end_word() noexcept;
    bool read_in_tag(char32_t c) noexcept;
    void read_backtick() noexcept;
    void read_line_break() noexcept;
    void read_mark(char32_t c) noexcept;
    void open(char32_t c) noexcept;
    void read_dash(bool in_word) noexcept;
    void read_emphasis() noexcept;
    void read_word_character(char32_t c) noexcept;
    bool opens_here() const noexcept;

    enclosing_mark_tracker marks_;
    markdown_code_tracker code_;
    std::optional<open_tag> tag_;
    word no_word_;
    word word_;
    word before_;
    place place_ = place::after_word;
    int words_ = 0;
    emphasis emphasis_;
    dash dash_ = dash::none;
    bool heading_ = false;
    bool single_quote_ = false;
    bool marker_ = false;
    char32_t mark_before_word_ = 0;
    char32_t previous_ = 0;  // 0 at the start
    char32_t last_visible_ = 0;
    char32_t first_letter_ = 0;  // of the first word
    char32_t last_letter_ = 0;
};

}  // namespace tandem::text
