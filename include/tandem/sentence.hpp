#pragma once

#include "tandem/config.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// What a `sentence_splitter` is made for.
struct sentence_options {
    /// What counts as the end of a sentence; see docs/sentences.md.
    boundary_rule rule = boundary_rule::spoken;
    /// BCP 47 tag like "en" or "de-AT"; empty = by script.
    std::string language{};
};

/// Divides a text that comes token by token into sentences, as a reply is divided into chunks, but
/// without limits of length. Needs no server, no event loop, and no other part of the library.
/// All sentences returned, joined, are the bytes that were fed; white space between two sentences
/// belongs to the second. One object reads one text. Not thread-safe; objects share nothing that
/// changes. Memory: the open sentence, and the sentences that are returned. A splitter that was
/// moved from may only be assigned to or destroyed.
class sentence_splitter {
 public:
    /// Throws std::bad_alloc only.
    explicit sentence_splitter(sentence_options options = {});
    ~sentence_splitter();
    sentence_splitter(sentence_splitter&&) noexcept;
    sentence_splitter& operator=(sentence_splitter&&) noexcept;

    /// Reads one token: any bytes, of which half a character at the end is kept until it is
    /// complete. Returns the sentences that are known to be complete now, mostly none.
    std::vector<std::string> feed(std::string_view token);
    /// Whether the text ends with what is a sentence unless the next token says otherwise.
    bool is_holding() const noexcept;
    /// The next token did not come in time: returns the sentence that is_holding() tells of.
    std::vector<std::string> hold_expired();
    /// The text is over: returns the rest. The object can read another text then.
    std::vector<std::string> finish();

 private:
    struct state;
    std::unique_ptr<state> state_;
};

/// The sentences of a whole text, as sentence_splitter finds them.
std::vector<std::string> split_sentences(std::string_view text, sentence_options options = {});

}  // namespace tandem
