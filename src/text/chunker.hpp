#pragma once

#include "tandem/chunk.hpp"
#include "text/boundary_detector.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// Bounds of chunks, in tokens read; 0 = none.
struct chunk_limits {
    int first_min_tokens = 10;
    int first_max_tokens = 24;
    int max_tokens = 96;
};

/// Text of a chunk before it has an id.
struct piece {
    std::string text;
    boundary why = boundary::end;
    int tokens = 0;  ///< tokens whose text ends in `text`
};

/// Divides the text of one reply into chunks. Pure: no clocks, no sockets. All pieces taken,
/// joined with unread(), are the text that was fed, to the byte.
class chunker {
 public:
    enum class status {
        reading,  ///< more text is needed
        holding,  ///< a chunk can end; the next token, or hold_expired(), decides
        ready,    ///< a chunk is complete: take() it
    };

    chunker(std::unique_ptr<boundary_detector> detector, chunk_limits limits);

    /// Reads the text of one token: valid UTF-8, may be empty (changes nothing then).
    status feed(std::string_view token_text);
    /// The peek token did not come in time: the chunk ends where it can.
    status hold_expired();
    /// No text follows: what was read becomes the last chunk or chunks.
    status finish();

    status current() const noexcept { return status_; }
    /// The complete chunk. What was read past it is carried into the next one, whose status is
    /// current() afterwards. Precondition: current() is `ready`.
    piece take();
    /// Text that was read and is in no taken piece.
    std::string_view unread() const noexcept { return text_; }

 private:
    // (the owner of this file fills this in)
    status status_ = status::reading;
    std::string text_;
};

}  // namespace tandem::text
