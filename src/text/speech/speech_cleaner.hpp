#pragma once

#include "text/speech/markdown_lines.hpp"
#include "text/speech/speech_options.hpp"
#include "text/speech/speech_writer.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::text {

/// Makes the chunks of one reply speakable: removes the marks of Markdown, HTML, SSML and LaTeX,
/// and whatever the options exclude, and keeps the words. State carries over from one chunk to the
/// next. Keeps characters that only look like marks: the star of `3 * 4`, the underscore of
/// `snake_case`, the `#` of `C#`. In the form speech_form::exact, only marks for the voice are
/// removed. Stores a few flags and numbers, but no text.
class speech_cleaner {
 public:
    explicit speech_cleaner(speech_options options = {});

    /// The speech of the next chunk; empty if there is nothing to speak. Linear in the length of
    /// the text. Throws only std::bad_alloc.
    mapped_speech clean(std::string_view chunk);
    /// The marks to report for the last chunk; `at` is a byte offset in its text.
    std::vector<speech_mark> take_marks() noexcept { return std::exchange(marks_, {}); }

    const speech_options& options() const noexcept { return *options_; }

 private:
    enum class place { line_start, in_line, fence_line };  ///< fence_line: after the opening fence
    enum class line_kind { text, heading, row, row_after_cell };
    enum class cut_span { none, target, tag, comment, address };
    /// Open emphasis of one mark: 1 for a single mark, 2 for a double one, 3 for both.
    struct emphasis {
        char mark;
        unsigned open = 0;
    };

    void keep(std::size_t bytes);
    void skip(std::size_t bytes);
    void advance(std::size_t bytes);
    void read_exact();
    void skip_to(char end);
    void skip_tag_rest();
    bool ends_at(std::size_t bytes) const noexcept { return bytes >= rest_.size(); }
    std::string_view line() const noexcept { return rest_.substr(0, rest_.find('\n')); }
    char32_t character_after(std::size_t bytes) const noexcept;
    bool in_word() const noexcept { return is_word_character(before_); }

    void finish_cut_span();
    void read_code();
    void speak_code(std::size_t bytes);
    void end_code(std::size_t fence_bytes);
    void start_line();
    bool skip_blank_line();
    bool skip_whole_line(std::string_view body);
    std::size_t skip_line_mark(std::string_view body);
    void end_paragraph();

    void read_inline();
    void read_mark();
    void read_other();
    void handle_line_break();
    void handle_backticks();
    bool open_inline_fence(std::size_t length);
    void handle_emphasis_mark(emphasis& e);
    bool closes(const emphasis& e, std::size_t length) const noexcept;
    bool opens(const emphasis& e, std::size_t length) const noexcept;
    bool is_closed_later(std::size_t length) const noexcept;
    void handle_strike_mark();
    void handle_closing_hashes();
    std::size_t measure_footnote() const noexcept;
    void handle_opening_bracket();
    void handle_closing_bracket();
    void handle_link_target(std::size_t bracket);
    bool handle_speech_mark();
    void handle_tag();
    void handle_bracketed_name();
    void handle_entity();
    void handle_escape();
    void handle_dollars();
    void handle_cell_end();
    bool handle_address();
    void speak_address(std::size_t bytes);

    std::shared_ptr<const speech_options> options_;
    speech_writer out_;
    std::vector<speech_mark> marks_;
    std::string_view chunk_;
    std::string_view rest_;  // of the chunk
    /// The character before `rest_`, even if it was removed; 0 at the start.
    char32_t before_ = 0;

    place place_ = place::line_start;
    line_kind line_kind_ = line_kind::text;
    std::optional<code_fence> fence_;

    std::size_t code_span_ = 0;  // number of backticks that opened code; 0 outside code
    emphasis stars_{'*'};
    emphasis lines_{'_'};
    bool strike_ = false;
    bool in_formula_ = false;
    unsigned links_ = 0;  // number of open link texts

    // State of a construct that is split by the end of a chunk.
    bool maybe_link_ = false;
    cut_span cut_ = cut_span::none;
    std::size_t cut_bytes_ = 0;  // number of bytes removed since the split
    char cut_quote_ = 0;         // the open quote of a split tag
};

}  // namespace tandem::text
