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

/// The consumer's side of one reply. Complete chunks are held back here, and one at a time is
/// handed over: when the consumer asks, after the continue of the one before. Pure.
class delivery {
 public:
    explicit delivery(std::uint64_t reply) : reply_(reply) {}

    /// A chunk is complete; its id is given at the hand-over.
    void add(time_point now, chunk c);
    /// The same for a piece of reasoning, or, where that is empty, for a sign that the server works;
    /// what is held back of them is one piece.
    void add_reasoning(time_point now, std::string_view text);
    /// The consumer asks for a chunk, or takes that back.
    void wanted() noexcept { is_wanted_ = true; }
    void not_wanted() noexcept { is_wanted_ = false; }
    /// Whether a chunk is to be handed over.
    bool is_due() const noexcept { return is_wanted_ && !speaks_ && !held_.empty(); }
    /// The chunk to hand over, with its id. Precondition: is_due().
    chunk hand_over(time_point now);
    /// The consumer continues. False if that is not the chunk that is spoken: nothing changes then.
    bool continued(time_point now, chunk_id id);

    /// Complete chunks whose continue has not come.
    std::size_t lead() const noexcept { return held_.size() + (speaks_ ? 1 : 0); }
    /// A chunk waits for the consumer to ask for it, and for nothing else.
    bool is_offered() const noexcept { return !speaks_ && !held_.empty(); }
    bool is_speaking() const noexcept { return speaks_; }
    /// Nothing is held back; the chunk that was handed over may still be spoken.
    bool is_empty() const noexcept { return held_.empty(); }
    /// The same of chunks that have text.
    bool holds_no_text() const noexcept;
    /// Nothing is held back, and the last chunk was continued, or the consumer asks for more
    /// already.
    bool is_done() const noexcept { return is_empty() && (!speaks_ || is_wanted_); }
    /// Since when the consumer is waited for: to take a chunk, or to continue one; nothing if it is
    /// not.
    std::optional<time_point> waits_since() const noexcept;
    /// The chunk that is handed over next; null if none is held back.
    const chunk* next() const noexcept { return held_.empty() ? nullptr : &held_.front(); }
    std::uint32_t handed_over() const noexcept { return next_seq_; }
    /// The texts that are held back.
    std::string held_text() const;

 private:
    std::uint64_t reply_;
    std::deque<chunk> held_;
    bool is_wanted_ = false;
    bool speaks_ = false;
    time_point since_{};
    std::uint32_t next_seq_ = 0;
};

}  // namespace tandem::detail
