#pragma once

#include "tandem/sentence.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::command {

/// Answers the lines of `tandem segment`: a whole text in one line, or one token a line. Each line
/// but a start gets one answer, also if something is wrong with it; empty ones are skipped.
class segment_protocol {
 public:
    /// `defaults.language` is for lines without "lang".
    explicit segment_protocol(sentence_options defaults) : defaults_(std::move(defaults)) {}

    /// The answer to the next line, newline included; empty if it wants none.
    std::string answer(std::string line);
    /// The answer to a line that could not be read.
    std::string refuse(std::string_view why);

    std::size_t bad_lines() const noexcept { return bad_lines_; }

 private:
    struct request;

    std::string answer_request(const request& r);
    std::string answer_tokens(const request& r) const;
    std::string error(std::string_view why);
    sentence_splitter splitter_for(const request& r) const;

    sentence_options defaults_;
    std::optional<sentence_splitter> text_;  // that comes one token a line
    std::size_t line_number_ = 0;
    std::size_t bad_lines_ = 0;
};

/// Replaces the escapes of lone surrogates in a JSON text, which stand for no character, by that of
/// U+FFFD.
void replace_lone_surrogates(std::string& line);

}  // namespace tandem::command
