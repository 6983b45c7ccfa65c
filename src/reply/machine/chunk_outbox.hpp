#pragma once

#include "base/time.hpp"

#include "tandem/chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::detail {

/// The consumer's side of one reply. Holds complete chunks and hands over one at a time: when the
/// consumer requests a chunk and has continued the previous one. Pure.
class chunk_outbox {
 public:
    explicit chunk_outbox(std::uint64_t reply) : reply_(reply) {}

    /// Adds a complete chunk, which gets its id at the hand-over.
    void add_chunk(time_point now, chunk c);
    /// Adds a piece of reasoning or, if `text` is empty, a sign that the server is working. Held
    /// pieces are merged into one.
    void add_reasoning(time_point now, std::string_view text);
    /// The consumer requests a chunk, or withdraws its request.
    void request_chunk() noexcept { is_wanted_ = true; }
    void request_withdrawn() noexcept { is_wanted_ = false; }
    /// Whether a chunk must be handed over now.
    bool is_due() const noexcept { return is_wanted_ && !speaks_ && !held_.empty(); }
    /// Returns the chunk to hand over, with its id. Precondition: is_due().
    chunk hand_over(time_point now);
    /// The consumer continues. Returns false and changes nothing if `id` is not the chunk being
    /// spoken.
    bool continued(time_point now, chunk_id id);

    /// Number of complete chunks that were not yet continued.
    std::size_t count_unacknowledged() const noexcept { return held_.size() + (speaks_ ? 1 : 0); }
    /// A chunk is waiting only for the consumer's request.
    bool is_waiting_for_request() const noexcept { return !speaks_ && !held_.empty(); }
    bool is_speaking() const noexcept { return speaks_; }
    bool is_spoken_now(chunk_id id) const noexcept {
        return speaks_ && id == chunk_id{reply_, next_seq_ - 1};
    }
    /// No chunk is held; the one handed over last may still be spoken.
    bool is_empty() const noexcept { return held_.empty(); }
    /// Whether no held chunk has text.
    bool has_no_held_text() const noexcept;
    /// No chunk is held, and the last one was continued or the consumer already requests another.
    bool is_done() const noexcept { return is_empty() && (!speaks_ || is_wanted_); }
    /// Since when the reply has been waiting for the consumer to take or continue a chunk; nothing
    /// if it is not waiting.
    std::optional<time_point> consumer_wait_since() const noexcept;
    /// The next chunk to hand over; null if none is held.
    const chunk* next_chunk() const noexcept { return held_.empty() ? nullptr : &held_.front(); }
    std::uint32_t handed_over() const noexcept { return next_seq_; }
    /// The texts of the held chunks.
    std::string held_text() const;
    const std::deque<chunk>& held() const noexcept { return held_; }

 private:
    std::uint64_t reply_;
    std::deque<chunk> held_;
    bool is_wanted_ = false;
    bool speaks_ = false;
    time_point since_{};
    std::uint32_t next_seq_ = 0;
};

}  // namespace tandem::detail
