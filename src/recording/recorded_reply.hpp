#pragma once

#include "recording/answer_script.hpp"
#include "recording/recorded_segment.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::detail {

/// A live request that a recorded reply answers.
struct reply_request {
    std::size_t text_bytes = 0;
    int id_slot = -1;
    int n_predict = -1;
};

/// The text of one reply as its requests brought it, and what went wrong on the way. A request that
/// begins where a recorded one began is answered by the same bytes. One that begins elsewhere, or
/// reads on where that one was cut, gets the same tokens in events of its own. A failure is met
/// once, by whoever comes to its place.
class recorded_reply : public std::enable_shared_from_this<recorded_reply> {
 public:
    /// The segments in the order of their requests; there is one at least.
    explicit recorded_reply(std::vector<recorded_segment> segments);

    /// The prompt of the first request, as JSON text; empty if it was left out.
    const std::string& prompt() const noexcept { return segments_.front().asked.prompt; }
    const std::vector<recorded_segment>& segments() const noexcept { return segments_; }

    /// `peek_hold` as in config: a cut after so long a silence was made for that.
    answer_script answer(const reply_request& request, duration peek_hold);

 private:
    friend class reply_cursor;

    /// The place in the list; its size if there is none.
    std::size_t segment_for(std::size_t text_bytes) const;
    std::size_t segment_after(std::size_t index, std::size_t text_bytes) const;

    std::vector<recorded_segment> segments_;
};

}  // namespace tandem::detail
