#pragma once

#include "text/sentences/boundary_detector.hpp"

#include "tandem/chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// Maximum bytes of text in a chunk, regardless of its tokens.
inline constexpr std::size_t max_chunk_bytes = 64 * 1024;

/// Limits for the size of chunks, in tokens. A maximum of 0 means no limit; for `first_max_tokens`,
/// 0 means `max_tokens`.
struct chunk_limits {
    int first_min_tokens = 10;
    int first_max_tokens = 24;
    int max_tokens = 96;
    /// A sentence with fewer characters is joined with the next one; applies to all chunks except
    /// the first. 0 = no minimum.
    int min_chars = 0;
    /// Makes each piece of fed text a separate chunk.
    bool by_token = false;
    /// At a limit, a chunk ends before, not inside, a mark with one of these tags, if possible.
    std::vector<std::string> mark_tags{};
};

/// The text of a chunk that has no id yet.
struct chunk_text {
    std::string text;
    boundary why = boundary::end;
    int tokens = 0;          ///< tokens whose text ends in `text`
    std::string language{};  ///< the language whose rules ended the chunk
};

/// Divides the text of one reply into chunks. Pure: no clocks, no sockets. The taken chunks
/// followed by untaken_text() are, byte for byte, the text that was fed.
class chunker {
 public:
    enum class status {
        reading,  ///< more text is needed
        holding,  ///< a chunk can end; the next token or on_hold_expired() decides
        ready,    ///< a chunk is complete: call take_chunk()
    };

    chunker(std::unique_ptr<boundary_detector> detector, chunk_limits limits);

    /// Reads the text of `tokens` tokens; 0 means more text of a token that was already counted.
    /// The text must be valid UTF-8; empty text changes nothing. May be called while a chunk is
    /// ready: boundaries do not depend on when chunks are taken. The number of chunks that wait to
    /// be taken is not limited.
    status feed(std::string_view token_text, int tokens = 1);
    /// Makes this text the first chunk, without looking for its end. Precondition: nothing has been
    /// read.
    void feed_chunk(const chunk_text& chunk);
    /// The token that could have decided a pending sentence end did not arrive in time, so the
    /// chunk ends there. Has no effect unless current() is `holding`.
    status on_hold_expired();
    /// Ends the open chunk now: at its pending sentence end, otherwise after its last clause,
    /// otherwise before its last word. Has no effect if the chunk has none of these.
    status force_chunk_end();
    /// Ends the text: text that is not yet in a chunk becomes the last chunk or chunks. After these
    /// are taken, current() is `reading` and untaken_text() is empty.
    status finish();

    status current() const noexcept { return status_; }
    /// Whether the last complete chunk is a sentence and no text was read after it.
    bool ends_without_peek() const noexcept {
        return !ready_.empty() && ready_.back().why == boundary::sentence && open_text().empty();
    }
    /// Takes the oldest complete chunk. Text read past the end of this chunk belongs to the next
    /// chunk, whose status current() then returns. Precondition: current() is `ready`.
    chunk_text take_chunk();
    /// Text that was read, but is not in any taken chunk.
    std::string_view untaken_text() const noexcept {
        return std::string_view(text_).substr(begin_);
    }

 private:
    struct end_place {
        std::size_t bytes = 0;  // relative to the start of the open chunk
        boundary why = boundary::end;
    };
    struct extent {
        std::size_t bytes = 0;
        boundary why = boundary::end;
        int tokens = 0;
        std::string language{};
    };

    std::string_view open_text() const noexcept { return untaken_text().substr(ready_bytes_); }
    int max_tokens() const noexcept {
        return first_ ? limits_.first_max_tokens : limits_.max_tokens;
    }
    int tokens_until(std::size_t bytes) const noexcept;
    std::size_t token_end(int count) const noexcept;
    bool is_before_min_tokens(std::size_t end) const noexcept;
    bool is_below_min_chars(std::size_t end) const noexcept;
    bool is_reachable(std::size_t end) const noexcept;
    bool is_at_limit() const noexcept;
    bool may_peek() const noexcept;

    void advance(boundary_verdict v);
    void end_piece(int tokens);
    boundary_verdict skip_early_ends(boundary_verdict v);
    std::optional<end_place> find_end(const boundary_verdict& v) const;
    std::optional<end_place> find_best_break(std::string_view text) const;
    end_place find_fallback_end() const;
    boundary_verdict end_chunk(end_place end);
    void update_status() noexcept;

    std::unique_ptr<boundary_detector> detector_;
    /// Without zeros: no limit is stored as the largest number.
    chunk_limits limits_;
    status status_ = status::reading;
    /// Text taken but not yet erased, then the complete chunks, then the open one. The open chunk
    /// has at most max_chunk_bytes plus one token.
    std::string text_;
    std::size_t begin_ = 0;
    std::deque<extent> ready_;
    std::size_t ready_bytes_ = 0;

    // State of the open chunk; offsets are relative to its start.
    bool first_ = true;
    /// End offsets of its tokens; at most max_tokens_of_a_text for each feed().
    std::vector<std::uint32_t> token_ends_;
    /// Where the detector's offsets begin: the end of the last sentence in the open chunk that was
    /// too short to be a chunk.
    std::size_t sentence_start_ = 0;
    std::optional<std::size_t> pending_;
};

}  // namespace tandem::text
