#pragma once

#include "base/time.hpp"
#include "text/speech/speech_text_maker.hpp"
#include "wire/calls/tool_call_reader.hpp"

#include "tandem/chunk.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::detail {

/// The complete chunks of one reply, until the consumer has spoken them. When the consumer requests
/// a chunk, the next one is handed over, unless more than `lookahead` chunks that were handed over
/// have not been continued. Pure.
class chunk_outbox {
 public:
    /// A chunk that was handed over but not continued.
    struct unspoken_chunk {
        std::uint32_t seq = 0;
        std::size_t characters = 0;  ///< of the chunk's speech
        bool has_text = false;
    };

    chunk_outbox(std::uint64_t reply, std::size_t lookahead)
        : reply_(reply), lookahead_(lookahead) {}

    /// Adds a complete chunk, which gets its id when it is handed over.
    void add_chunk(time_point now, chunk c);
    /// Adds a piece of reasoning or, if `text` is empty, a sign that the server is working. Held
    /// pieces are merged into one.
    void add_reasoning(time_point now, std::string_view text);
    /// Like add_reasoning(), but for a piece of a call.
    void add_call_piece(time_point now, const wire::tool_call_reader::piece& call);
    /// The consumer requests a chunk, or withdraws its request.
    void request_chunk() noexcept { is_wanted_ = true; }
    void on_request_withdrawn() noexcept { is_wanted_ = false; }
    /// Whether a chunk must be handed over now.
    bool is_hand_over_due() const noexcept {
        return is_wanted_ && unspoken_.size() <= lookahead_ && !held_.empty();
    }
    /// Returns the chunk to hand over, with its id and its speech. Precondition:
    /// is_hand_over_due().
    chunk hand_over(time_point now, text::speech_text_maker& voice);
    /// Whether the chunk was handed over but not continued.
    bool is_unspoken(chunk_id id) const noexcept {
        return is_speaking() && id.reply == reply_ && id.seq >= unspoken_.front().seq &&
               id.seq < next_seq_;
    }
    /// Removes and returns the chunk being spoken, because the consumer has continued it.
    /// Precondition: is_speaking().
    unspoken_chunk continue_spoken_chunk(time_point now);

    /// Number of complete chunks that have not been continued.
    std::size_t count_unacknowledged() const noexcept { return held_.size() + unspoken_.size(); }
    /// Whether a chunk waits only for the consumer's request.
    bool is_waiting_for_request() const noexcept { return !is_speaking() && !held_.empty(); }
    bool is_speaking() const noexcept { return !unspoken_.empty(); }
    bool is_spoken_now(chunk_id id) const noexcept {
        return is_speaking() && id == chunk_id{reply_, unspoken_.front().seq};
    }
    /// Whether all chunks were handed over; the last ones may not have been spoken yet.
    bool is_empty() const noexcept { return held_.empty(); }
    bool has_no_held_text() const noexcept;
    /// Whether all chunks were handed over and continued. With `request_suffices`, a request for
    /// another chunk counts as a continue.
    bool is_fully_spoken(bool request_suffices) const noexcept {
        return is_empty() && (!is_speaking() || (is_wanted_ && request_suffices));
    }
    /// When the reply began to wait for the consumer to take or continue a chunk; nullopt if it
    /// does not wait.
    std::optional<time_point> consumer_wait_since() const noexcept;
    /// The next chunk to hand over; null if none is held.
    const chunk* next_chunk() const noexcept { return held_.empty() ? nullptr : &held_.front(); }
    std::uint32_t count_handed_over() const noexcept { return next_seq_; }
    std::string held_text() const;
    const std::deque<chunk>& held() const noexcept { return held_; }
    /// The chunk being spoken, followed by those handed over early.
    const std::deque<unspoken_chunk>& unspoken() const noexcept { return unspoken_; }

 private:
    std::uint64_t reply_;
    std::size_t lookahead_;
    std::deque<chunk> held_;
    std::deque<unspoken_chunk> unspoken_;
    bool is_wanted_ = false;
    time_point since_{};
    std::uint32_t next_seq_ = 0;
};

}  // namespace tandem::detail
