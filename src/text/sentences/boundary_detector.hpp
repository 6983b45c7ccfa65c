#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace tandem::text {

/// What is known about the end of the sentence being read. Offsets are in bytes from its start,
/// and not 0.
struct verdict {
    /// The sentence ends here, whatever comes.
    std::optional<std::size_t> settled;
    /// The sentence ends here unless the next token says otherwise.
    std::optional<std::size_t> pending;
};

/// Finds where the sentence being read ends: fed token by token, it looks at one token past the
/// end at most. One object reads one reply.
class boundary_detector {
 public:
    virtual ~boundary_detector() = default;
    /// Reads one more token, whole characters of valid UTF-8, not empty. Precondition: no end is
    /// settled, that is, each one was consumed.
    virtual verdict feed(std::string_view token) = 0;
    /// The sentence or the chunk ended after `bytes` of what was fed: offsets count from there now.
    /// What was fed after it stays read; the verdict on that part is returned. `bytes` may be any
    /// place between two characters, also 0, or one before a settled end.
    virtual verdict consume(std::size_t bytes) = 0;
    /// No token follows: decides with what was read. Precondition as for feed().
    virtual verdict finish() = 0;
};

}  // namespace tandem::text
