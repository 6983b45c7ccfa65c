#pragma once

#include "tandem/config.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// Options of a `sentence_splitter`.
struct sentence_options {
    /// Rule for ends of sentences; see docs/sentences.md.
    boundary_rule rule = boundary_rule::spoken;
    /// BCP 47 tag such as "en" or "de-AT"; empty = the script of the text decides.
    std::string language{};
};

/// Divides text into sentences token by token, by the rules for chunks but without length limits.
/// Needs no server, no event loop, and no other part of the library. Joined, the returned sentences
/// are exactly the bytes that were fed; white space between two sentences belongs to the second.
/// One object reads one text. Not thread-safe; objects share no mutable state. Stores only the
/// sentence that is not complete yet. A moved-from splitter may only be assigned to or destroyed.
class sentence_splitter {
 public:
    /// Throws only std::bad_alloc.
    explicit sentence_splitter(sentence_options options = {});
    ~sentence_splitter();
    sentence_splitter(sentence_splitter&&) noexcept;
    sentence_splitter& operator=(sentence_splitter&&) noexcept;

    /// Reads one token, which may be any bytes; an incomplete character at its end is kept until it
    /// is complete. Returns the sentences that are now certain to be complete, usually none.
    std::vector<std::string> feed(std::string_view token);
    /// Whether the text so far ends with a sentence, which the next token may still continue.
    bool is_holding() const noexcept;
    /// Returns this sentence as complete. Call this function when the next token is late.
    std::vector<std::string> hold_expired();
    /// Ends the text and returns the rest. The object can then read another text.
    std::vector<std::string> finish();

 private:
    struct state;
    std::unique_ptr<state> state_;
};

/// Splits a whole text into sentences, by the rules of sentence_splitter.
std::vector<std::string> split_sentences(std::string_view text, sentence_options options = {});

}  // namespace v0
}  // namespace tandem
