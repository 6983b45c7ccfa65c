#pragma once

#include "gateway/telemetry/voice_timing.hpp"

#include <algorithm>

namespace tandem::command {

/// Timestamps before the first sound of a reply.
struct spoken_timestamps {
    /// When the user's line ended, the reply began, its first chunk arrived, the sound of that
    /// chunk was ready, and its first sample was played.
    time_point said_at{};
    time_point begun_at{};
    time_point chunk_at{};
    time_point made_at{};
    time_point sound_at{};
    /// How long a voice detector would wait before it reports that the user stopped.
    duration vad_stop{};
};

/// Voice-to-voice latency: the silence between the user's last word and the first sample of the
/// reply, split into parts that add up. No part is negative.
struct spoken_timing {
    gateway::voice_timing stage{};  ///< until the first chunk arrived
    duration synthesis{};           ///< until its sound was ready
    duration playback{};            ///< until the first sample was played

    duration total() const noexcept { return stage.total() + synthesis + playback; }
};

/// `result` is the result of the same reply. Pure.
inline spoken_timing compute_timing(const spoken_timestamps& m, const reply_result& result) {
    const auto chunk_at = std::max(m.chunk_at, m.said_at);
    const auto made_at = std::max(m.made_at, chunk_at);
    const gateway::voice_timestamps stage{.asked_at = m.said_at,
                                          .begun_at = m.begun_at,
                                          .chunk_at = chunk_at,
                                          .vad_stop = m.vad_stop};
    return {.stage = gateway::compute_voice_timing(stage, result).value_or(gateway::voice_timing{}),
            .synthesis = made_at - chunk_at,
            .playback = std::max(m.sound_at, made_at) - made_at};
}

/// Calls `visit(const char* name, duration part)` for each part in order.
template <class Visitor>
void for_each_part(const spoken_timing& t, Visitor&& visit) {
    gateway::for_each_voice_part(t.stage, visit);
    visit("synthesis", t.synthesis);
    visit("playback", t.playback);
}

}  // namespace tandem::command
