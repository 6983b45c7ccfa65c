#pragma once

#include "text/sentences/word_reader.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

namespace tandem::text {

/// What is open around the place where one reads, and what was read of the sentence. Fixed size,
/// whatever the length of the text. Knows nothing of where sentences end.
class sentence_context {
 public:
    /// A new sentence starts; what is open stays open.
    void start_sentence() noexcept;
    void read(char32_t c) noexcept;
    /// The full stop after the last word belongs to it: "www.example", "3.5", "U.S".
    void join_stop() noexcept;

    /// Inside a quotation of a script with spaces, where sentences end too.
    bool is_quoted() const noexcept;
    /// How long ago that quotation began, in characters.
    std::uint32_t quoted_for() const noexcept { return depth_ == 0 ? 0 : open_[depth_ - 1].age; }
    /// Inside brackets, code or quotes of other scripts, where no sentence ends. An opening mark
    /// whose closing one does not come is forgotten in time.
    bool is_enclosed() const noexcept;
    /// Whether `c`, read now, closes something rather than opens it.
    bool closes(char32_t c) const noexcept;
    /// Whether what `c` closes is open.
    bool is_open_mark(char32_t c) const noexcept { return is_open(opener_of(c)); }
    char32_t previous() const noexcept { return previous_; }
    bool is_in_fence() const noexcept;
    bool is_in_tag() const noexcept { return tag_; }

    /// Letters or digits were read.
    bool has_content() const noexcept { return words_ > 0; }
    int words() const noexcept { return words_; }
    /// The word that is being read; empty if something stands after the last one.
    const word& open_word() const noexcept { return in_word_ ? word_ : no_word_; }
    /// The last word, also if white space follows it; empty if something else stands after it.
    const word& last_word() const noexcept { return gap_ ? no_word_ : word_; }
    const word& word_before() const noexcept { return before_; }
    /// Nothing but a list's or a heading's marks stands before the last word.
    bool is_first_word() const noexcept { return words_ == 1; }
    bool is_numbered_line() const noexcept { return marker_; }
    bool starts_lowercase() const noexcept { return first_lower_; }
    /// What stands between the last word and the one before, if it is no white space.
    char32_t mark_before_word() const noexcept { return mark_before_word_; }
    /// A line of Markdown that starts with #.
    bool is_heading() const noexcept { return heading_; }
    /// Markdown's _ was opened.
    bool has_open_underscore() const noexcept { return underscore_; }
    /// Markdown's * or ** was opened.
    bool has_open_emphasis() const noexcept { return emphasis_; }
    /// The first words of a list's item are emphasised: "1. **Salt.** Add a pinch."
    bool is_label() const noexcept { return label_ && words_ <= 5; }
    /// A single quote was opened; as apostrophes look the same, its end is unknown.
    bool has_single_quote() const noexcept { return single_quote_; }
    /// A remark was begun with a dash – like this – and not ended. Where a dash stands before
    /// what someone says, it tells nothing.
    bool has_open_dash() const noexcept { return dashes_ % 2 == 1 && !is_dialogue_; }
    /// The last thing that was closed was opened as the sentence's first character, or after a
    /// colon or comma.
    bool closed_from_start() const noexcept { return closed_from_start_; }
    bool closed_after_colon() const noexcept { return closed_after_colon_; }
    /// The last letter that was read, for its script.
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
    bool gap_ = false;  // something else than white space stands behind the last word
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
    bool maybe_fence_ = false;  // the back-ticks of one, and a language, end the line so far
    bool code_ = false;
    std::uint32_t code_age_ = 0;
    bool line_start_ = true;  // no letters or digits were read of the line
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
