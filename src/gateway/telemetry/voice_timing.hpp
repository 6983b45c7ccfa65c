#pragma once

#include "base/time.hpp"

#include "tandem/result.hpp"

#include <optional>

namespace tandem::gateway {

/// Times of a voice turn.
struct voice_marks {
    /// When the turn was asked for, when its reply began, and when the first chunk was sent.
    time_point asked_at{};
    time_point begun_at{};
    time_point chunk_at{};
    /// As the client reports in its `start`; see voice::start.
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};
};

/// The silence between the user's last word and the bot's first chunk, in parts that add up. None
/// is negative.
struct voice_timing {
    duration detector{};      ///< until the voice detector was sure; 0 if unknown
    duration before_start{};  ///< from there until the turn was asked for: transcript, network
    duration turn_wait{};     ///< until the reply began: the one before had to end
    duration slot_wait{};     ///< until the request was sent: other replies, the reuse guard
    duration first_token{};   ///< until its first token came: the prompt was evaluated
    duration first_chunk{};   ///< until the first chunk was sent

    duration total() const noexcept {
        return detector + before_start + turn_wait + slot_wait + first_token + first_chunk;
    }
};

/// Calls `visit(const char* name, duration part)` for each part, in their order.
template <class Visitor>
void for_each_voice_part(const voice_timing& t, Visitor&& visit) {
    visit("detector", t.detector);
    visit("before_start", t.before_start);
    visit("turn_wait", t.turn_wait);
    visit("slot_wait", t.slot_wait);
    visit("first_token", t.first_token);
    visit("first_chunk", t.first_chunk);
}

/// Nothing if the client does not report when the user stopped. If only `vad_stop` is reported, it
/// is all that went before. What the reply's time line does not have took no time. Pure.
std::optional<voice_timing> timing_of(const voice_marks& marks, const reply_result& result);

}  // namespace tandem::gateway
