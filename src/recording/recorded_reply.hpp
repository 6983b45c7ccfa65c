#pragma once

#include "recording/answer_script.hpp"
#include "recording/recorded_segment.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::detail {

/// The parameters of a request that a recorded reply answers during playback.
struct playback_request {
    std::size_t text_bytes = 0;
    int id_slot = -1;
    int n_predict = -1;
};

/// The text of one reply as its requests delivered it, and the failures between the requests. A
/// request that starts where a recorded one started receives the same bytes. A request that starts
/// elsewhere, or that reads past the point where the recorded request was cut, receives the same
/// tokens in newly built events. Each failure is played once, to the first request that reaches it.
class recorded_reply : public std::enable_shared_from_this<recorded_reply> {
 public:
    /// The segments in the order of their requests; at least one.
    explicit recorded_reply(std::vector<recorded_segment> segments);

    /// The prompt of the first request, as JSON text; empty if it was removed.
    const std::string& prompt() const noexcept { return segments_.front().request.prompt; }
    const std::vector<recorded_segment>& segments() const noexcept { return segments_; }

    /// `peek_hold` is as in config: if the recorded client cut a request after a silence of at
    /// least this length, the silence is the reason for the cut, and is played.
    answer_script answer(const playback_request& request, duration peek_hold);

 private:
    friend class reply_cursor;

    /// Index in the list; its size if there is no such segment.
    std::size_t find_segment(std::size_t text_bytes) const;
    std::size_t find_next_segment(std::size_t index, std::size_t text_bytes) const;

    std::vector<recorded_segment> segments_;
};

}  // namespace tandem::detail
