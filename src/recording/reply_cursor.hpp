#pragma once

#include "recording/recorded_reply.hpp"

#include <memory>
#include <optional>
#include <string>

namespace tandem::detail {

/// The position of the answer to one request of the playback within a recorded reply.
class reply_cursor {
 public:
    reply_cursor(std::shared_ptr<recorded_reply> reply, const playback_request& request,
                 duration peek_hold);

    std::optional<answer_step> next_step();

 private:
    enum class phase { status, body, events, over };

    std::optional<answer_step> begin_answer();
    answer_step begin_without_answer();
    std::optional<answer_step> next_piece();
    std::optional<answer_step> next_event();
    const recorded_event* find_event();
    std::optional<answer_step> play(const recorded_event& first);
    bool is_dropped(const recorded_event& e) const;
    bool exceeds_token_limit(const recorded_event& e) const;
    bool was_recorded_limit(const recorded_event& e) const;
    std::string encode_bytes(const recorded_event& e);
    std::optional<answer_step> leave_segment();
    bool ends_here() const;
    answer_step emit_tail();
    void go_to_next_segment();
    answer_step end_segment();
    answer_step refuse();
    answer_step end_at_limit();
    wire::token_event renumber_tokens(const recorded_event& e);
    answer_step make_step_at(duration when);
    recorded_segment& segment() const { return reply_->segments_[index_]; }

    std::shared_ptr<recorded_reply> reply_;
    playback_request request_;
    duration peek_hold_;
    phase phase_ = phase::status;
    std::size_t index_;
    std::size_t event_ = 0;
    std::size_t piece_ = 0;
    std::size_t position_;    // of the delivered text
    duration at_{};           // time of the last step, in the recording
    duration extra_delay_{};  // delays that had no step of their own
    bool is_exact_ = false;
    bool has_given_tail_ = false;
    bool has_skipped_ = false;  // events since the start of this segment
    int skipped_ = 0;           // tokens in the skipped events
    int given_ = 0;             // tokens delivered
    int given_before_ = 0;      // tokens delivered from earlier segments
    std::optional<int> prompt_tokens_;
    wire::token_event last_;
};

}  // namespace tandem::detail
