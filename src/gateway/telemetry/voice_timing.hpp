#pragma once

#include "base/time.hpp"

#include "tandem/result.hpp"

#include <optional>

namespace tandem::gateway {

struct voice_timestamps {
    /// When the turn was requested, when its reply began, and when the reply's first chunk was
    /// sent.
    time_point asked_at{};
    time_point begun_at{};
    time_point chunk_at{};
    /// Reported in the client's `start`; see voice::start.
    std::optional<duration> user_stopped_ago{};
    std::optional<duration> vad_stop{};
};

/// The silence between the user's last word and the bot's first chunk, split into parts that add
/// up. No part is negative.
struct voice_timing {
    duration detector{};      ///< until the voice detector was sure; 0 if unknown
    duration before_start{};  ///< then until the turn was requested: transcription, network
    duration turn_wait{};     ///< then until the reply began: end of the previous reply
    duration slot_wait{};     ///< then until the request was sent: other replies, reuse guard
    duration first_token{};   ///< then until the first token: prompt evaluation
    duration first_chunk{};   ///< then until the first chunk was sent

    duration total() const noexcept {
        return detector + before_start + turn_wait + slot_wait + first_token + first_chunk;
    }
};

/// Calls `visit(const char* name, duration part)` for each part, in order.
template <class Visitor>
void for_each_voice_part(const voice_timing& t, Visitor&& visit) {
    visit("detector", t.detector);
    visit("before_start", t.before_start);
    visit("turn_wait", t.turn_wait);
    visit("slot_wait", t.slot_wait);
    visit("first_token", t.first_token);
    visit("first_chunk", t.first_chunk);
}

/// Returns nullopt if the client does not report when the user stopped. If the client reports only
/// `vad_stop`, the silence before the request consists of `vad_stop` alone. A part that ends with
/// an event is 0 if the reply's timeline lacks that event. Pure.
std::optional<voice_timing> compute_voice_timing(const voice_timestamps& marks,
                                                 const reply_result& result);

}  // namespace tandem::gateway
