#pragma once

#include "base/time.hpp"

#include "tandem/stream_chunk.hpp"

#include <cstddef>
#include <deque>
#include <optional>

namespace tandem::detail {

/// What lies between one reply and the consumers of its channel: joins chunks to items, decides
/// when the reply may continue, and ends once. Pure.
class chunk_queue {
 public:
    /// Text at which an item is complete, whatever the interval.
    static constexpr std::size_t most_joined_bytes = 64 * 1024;

    explicit chunk_queue(const channel_options& options);

    /// A chunk was handed over; it is not continued yet. It completes its item if that has
    /// `interval` tokens with it. Changes nothing after the end.
    void add(time_point now, chunk c, int interval);
    /// A consumer asks for an item: what was taken before was spoken.
    void asked() noexcept { speaks_ = false; }
    /// The next item, if one is there; at last the terminal one, once.
    std::optional<stream_chunk> take();
    /// The chunk that is to be continued now, after which the next one is to be asked for: told
    /// once. Nothing if the reply is to wait for the consumer, or is not waiting.
    std::optional<chunk_id> next_continue() noexcept;
    /// The end comes after all that is complete or being joined; an interrupt drops that, also
    /// after another end. False if there was an end before: that one stays.
    bool end(channel_end why);

    /// Something can be taken, or nothing ever will be.
    bool can_answer() const noexcept { return !items_.empty() || end_; }
    /// The terminal item was taken.
    bool is_drained() const noexcept { return end_taken_; }
    const std::optional<channel_end>& why_ended() const noexcept { return end_; }
    std::size_t size() const noexcept { return items_.size(); }

 private:
    bool has_room() const noexcept;
    void join(time_point now, chunk c);
    void complete();

    pace pace_;
    std::size_t capacity_;
    std::deque<stream_chunk> items_;
    std::optional<stream_chunk> joined_;  // not complete
    bool is_apart_ = false;               // speech that is joined next needs a space before it
    std::optional<chunk_id> waits_;       // handed over, not continued
    bool speaks_ = false;
    std::optional<channel_end> end_;
    bool end_taken_ = false;
};

}  // namespace tandem::detail
