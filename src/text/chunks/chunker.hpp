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

/// The text of a chunk has at most this many bytes, whatever its tokens.
inline constexpr std::size_t max_chunk_bytes = 64 * 1024;

/// Bounds of chunks, in tokens read; 0 = none (`first_max_tokens`: as `max_tokens`).
struct chunk_limits {
    int first_min_tokens = 10;
    int first_max_tokens = 24;
    int max_tokens = 96;
    /// In characters, for sentence ends of all chunks but the first; 0 = none.
    int min_chars = 0;
    /// Each text that is fed is a chunk.
    bool by_token = false;
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

    /// Reads the text of one token, of the `tokens` that made it together, or, with 0, more text
    /// of a token whose start was read before: valid UTF-8, may be empty (changes nothing then).
    /// May be called while a chunk is ready: the chunks are the same whenever they are taken, but
    /// what waits to be taken has no bound here.
    status feed(std::string_view token_text, int tokens = 1);
    /// The peek token did not come in time: the chunk ends where it can. Changes nothing unless
    /// current() is `holding`.
    status hold_expired();
    /// The open chunk has to end now: where it can, else after its last clause, else before its
    /// last word. Changes nothing if it has no such place.
    status break_off();
    /// No text follows: what was read becomes the last chunk or chunks. Once they are taken,
    /// current() is `reading`, and unread() is empty.
    status finish();

    status current() const noexcept { return status_; }
    /// The last complete chunk is a sentence that ends whatever follows, and nothing was read after
    /// it.
    bool is_unpeeked() const noexcept {
        return !ready_.empty() && ready_.back().why == boundary::sentence && open_text().empty();
    }
    /// The complete chunk. What was read past it is carried into the next one, whose status is
    /// current() afterwards. Precondition: current() is `ready`.
    piece take();
    /// Text that was read and is in no taken piece.
    std::string_view unread() const noexcept { return std::string_view(text_).substr(begin_); }

 private:
    struct end_place {
        std::size_t bytes = 0;  // from the start of the open chunk
        boundary why = boundary::end;
    };
    struct extent {
        std::size_t bytes = 0;
        boundary why = boundary::end;
        int tokens = 0;
    };

    std::string_view open_text() const noexcept { return unread().substr(ready_bytes_); }
    int max_tokens() const noexcept {
        return first_ ? limits_.first_max_tokens : limits_.max_tokens;
    }
    int tokens_until(std::size_t bytes) const noexcept;
    std::size_t token_end(int count) const noexcept;
    bool is_early(std::size_t end) const noexcept;
    bool is_short(std::size_t end) const noexcept;
    bool is_reachable(std::size_t end) const noexcept;
    bool is_at_limit() const noexcept;
    bool may_peek() const noexcept;

    void advance(verdict v);
    void end_piece(int tokens);
    verdict skip_early_ends(verdict v);
    std::optional<end_place> find_end(const verdict& v) const;
    std::optional<end_place> best_place(std::string_view text) const noexcept;
    end_place fall_back() const noexcept;
    verdict end_chunk(end_place end);
    void update_status() noexcept;

    std::unique_ptr<boundary_detector> detector_;
    /// With 0 made into the largest number.
    chunk_limits limits_;
    status status_ = status::reading;
    /// What was taken and not yet dropped, the complete chunks, and the open one: at most
    /// max_chunk_bytes and one token; more only in complete chunks that are not taken.
    std::string text_;
    std::size_t begin_ = 0;
    std::deque<extent> ready_;
    std::size_t ready_bytes_ = 0;

    // Of the open chunk; offsets are from its start.
    bool first_ = true;
    /// Where its tokens end; at most max_tokens_of_a_text for each text fed.
    std::vector<std::uint32_t> token_ends_;
    /// Where the detector's offsets count from: after the last sentence that ended too early.
    std::size_t sentence_start_ = 0;
    std::optional<std::size_t> pending_;
};

}  // namespace tandem::text
