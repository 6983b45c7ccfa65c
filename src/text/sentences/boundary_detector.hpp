#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem::text {

/// What is known about the end of the current sentence. Offsets are in bytes from the start of the
/// sentence, and never 0.
struct boundary_verdict {
    /// Where the sentence ends regardless of what follows.
    std::optional<std::size_t> settled;
    /// Where the sentence probably ends; the next token decides.
    std::optional<std::size_t> pending;
};

/// Finds the end of the current sentence. Reads token by token, and at most one token past the end.
/// One object serves one reply.
class boundary_detector {
 public:
    virtual ~boundary_detector() = default;
    /// Reads one token: complete characters of valid UTF-8, not empty. Precondition:
    /// end_sentence_after() has been called for each settled end.
    virtual boundary_verdict feed(std::string_view token) = 0;
    /// Ends the sentence or chunk after `bytes` of the fed text; offsets restart there. Returns the
    /// verdict on the remaining text, which is not fed again. `bytes` may be any character
    /// boundary, including 0 or one before a settled end.
    virtual boundary_verdict end_sentence_after(std::size_t bytes) = 0;
    /// Ends the text and decides from what was read. Precondition as for feed().
    virtual boundary_verdict finish() = 0;
    /// BCP 47 tag of the language whose rules apply now; empty if the rules are the same for all
    /// languages.
    virtual std::string_view language() const noexcept { return {}; }
};

}  // namespace tandem::text
