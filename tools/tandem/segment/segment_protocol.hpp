#pragma once

#include "tandem/sentence.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tandem::command {

/// Answers the lines of `tandem segment`: a whole text per line, or one token per line. Each line
/// gets one answer, even if it is invalid. Exceptions are a valid "start" and an empty line, which
/// get none.
class segment_protocol {
 public:
    /// `defaults.language` applies to lines without "lang".
    explicit segment_protocol(sentence_options defaults) : defaults_(std::move(defaults)) {}

    /// Returns the answer to the next line, including the newline; empty if there is none.
    std::string answer(std::string line);
    /// Returns the answer to an unreadable line.
    std::string refuse(std::string_view why);

    std::size_t bad_lines() const noexcept { return bad_lines_; }

 private:
    struct request;

    std::string answer_request(const request& r);
    std::string answer_tokens(const request& r) const;
    std::string error(std::string_view why);
    sentence_splitter splitter_for(const request& r) const;

    sentence_options defaults_;
    std::optional<sentence_splitter> splitter_;  // the text that arrives token by token
    std::size_t line_number_ = 0;
    std::size_t bad_lines_ = 0;
};

/// Replaces each escape of a lone surrogate, which represents no character, in JSON text with the
/// escape of U+FFFD.
void replace_lone_surrogates(std::string& line);

}  // namespace tandem::command
