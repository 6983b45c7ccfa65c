#pragma once

#include "base/time.hpp"

#include "tandem/stream_chunk.hpp"

#include <cstddef>
#include <deque>
#include <optional>

namespace tandem::detail {

/// The items of a channel: joins a reply's chunks into items, and decides when the reply may
/// continue. Pure.
class chunk_queue {
 public:
    /// A text of this size completes its item, even if the item has fewer tokens than `interval`.
    static constexpr std::size_t max_item_bytes = 64 * 1024;

    explicit chunk_queue(const channel_options& options);

    /// Adds a chunk that was handed over but not yet continued. The item is complete once it has at
    /// least `interval` tokens. Chunks after the end are ignored.
    void add_chunk(time_point now, chunk c, int interval);
    /// A consumer requests an item, so the previous item was spoken.
    void on_item_requested() noexcept { speaks_ = false; }
    /// The next item; after the last one, the terminal item, once. nullopt if there is none.
    std::optional<stream_chunk> take_item();
    /// Returns the id of a chunk after which the reply may continue now; each id is returned once.
    /// nullopt if the reply must wait for the consumer, or is not waiting for a continue.
    std::optional<chunk_id> take_chunk_to_continue() noexcept;
    /// Ends the queue. The consumer still gets the items so far, even a partial one; but an
    /// interrupt drops all items, even after an earlier end. Returns false if the queue had already
    /// ended; `why` is then ignored.
    bool end(channel_end why);

    /// Whether an item can be taken, or the queue has ended.
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
    bool is_apart_ = false;               // the next speech is joined with a space
    std::optional<chunk_id> waits_;       // the chunk whose continue the reply awaits
    bool speaks_ = false;
    std::optional<channel_end> end_;
    bool end_taken_ = false;
};

}  // namespace tandem::detail
