#pragma once

#include "base/time.hpp"

#include "tandem/stream_chunk.hpp"

#include <cstddef>
#include <deque>
#include <optional>

namespace tandem::detail {

/// Connects one reply with the consumers of its channel: joins chunks into items, decides when the
/// reply may continue, and ends once. Pure.
class chunk_queue {
 public:
    /// Text size that completes an item regardless of the interval.
    static constexpr std::size_t max_item_bytes = 64 * 1024;

    explicit chunk_queue(const channel_options& options);

    /// Adds a chunk that was handed over but not yet continued. It completes its item if the item
    /// now has at least `interval` tokens. Has no effect after the end.
    void add_chunk(time_point now, chunk c, int interval);
    /// A consumer requests an item, so the previous item was spoken.
    void on_item_requested() noexcept { speaks_ = false; }
    /// The next item, if there is one; finally the terminal item, once.
    std::optional<stream_chunk> take_item();
    /// Returns the chunk to continue before the next one is requested, but each chunk only once;
    /// nullopt if the reply must wait for the consumer, or is not waiting for a continue.
    std::optional<chunk_id> take_chunk_to_continue() noexcept;
    /// Ends the queue after its complete and partial items; an interrupt drops these items, even
    /// after an earlier end. Returns false if the queue had already ended; the first reason
    /// remains.
    bool end(channel_end why);

    /// Whether an item can be taken, or none will ever follow.
    bool has_item_or_end() const noexcept { return !items_.empty() || end_; }
    /// Whether the terminal item was taken.
    bool is_drained() const noexcept { return end_taken_; }
    const std::optional<channel_end>& end_reason() const noexcept { return end_; }
    std::size_t size() const noexcept { return items_.size(); }

 private:
    bool has_room() const noexcept;
    void append_to_item(time_point now, chunk c);
    void complete_item();

    pace pace_;
    std::size_t capacity_;
    std::deque<stream_chunk> items_;
    std::optional<stream_chunk> joined_;  // partial item
    bool is_apart_ = false;               // speech joined next needs a space before it
    std::optional<chunk_id> waits_;       // handed over, not yet continued
    bool speaks_ = false;
    std::optional<channel_end> end_;
    bool end_taken_ = false;
};

}  // namespace tandem::detail
