#pragma once

#include "text/sentences/boundary_detector.hpp"
#include "text/sentences/sentence_context.hpp"
#include "text/sentences/sentence_end.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::text {

/// Finds the ends of sentences as a listener hears them. Handles abbreviations, numbers, quotes,
/// lists, code, and the full stops of other scripts. Reads at most one token past the end, ignoring
/// white space, and keeps only the characters needed for a decision. See docs/sentences.md.
class spoken_boundary_detector final : public boundary_detector {
 public:
    /// `language` is a BCP 47 tag; if empty, the script decides.
    explicit spoken_boundary_detector(std::string_view language = {});

    boundary_verdict feed(std::string_view token) override;
    boundary_verdict end_sentence_after(std::size_t bytes) override;
    boundary_verdict finish() override;
    std::string_view language() const noexcept override {
        return hint_.empty() ? words_->language() : hint_;
    }

 private:
    struct undecided_mark {
        end_mark mark;
        std::size_t end = 0;    // after the mark and its closing marks
        std::size_t token = 0;  // the token of its last character, emoji excluded
        following_text after;
        bool has_closer = false;  // quotes, brackets or emphasis marks
        int tag = 0;              // characters of a closing SSML tag after the mark
    };

    void read(char32_t c, std::size_t bytes);
    void read_outside(char32_t c);
    bool consume_after_mark(char32_t c);
    bool consume_closing_tag(char32_t c);
    void handle_false_tag(char32_t c);
    bool consume_line_break();
    bool consume_mark(char32_t c);
    bool consume_closing_mark(char32_t c);
    bool extend_mark();
    bool start_mark(char32_t c);
    void on_line_break();
    void decide();
    void resolve(bool ends);
    void finish_token(std::string_view token);
    void decide_by_next_token(std::string_view token);
    bool ends_before_next_token(std::string_view token) const;
    void classify_token(std::string_view token) noexcept;
    boundary_verdict current() const;
    void choose_language(char32_t c);

    const lexicon* words_;
    std::string hint_;
    int script_lead_ = 0;  // letters read of the script of words_, minus others
    sentence_context context_;
    std::optional<undecided_mark> open_;
    // Offsets in all fed text.
    std::size_t base_ = 0;  // end of the last sentence or chunk
    std::deque<std::size_t> settled_;
    std::size_t length_ = 0;
    std::size_t content_end_ = 0;  // after the last visible character
    std::size_t token_ = 0;
    bool word_pieces_ = true;
    bool last_was_word_ = false;
};

}  // namespace tandem::text
