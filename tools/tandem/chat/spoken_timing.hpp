#pragma once

#include "gateway/telemetry/voice_timing.hpp"

namespace tandem::command {

/// When what happened before a reply's first sound.
struct spoken_marks {
    /// The user's line ended, the reply began, its first chunk came, the sound of that was made,
    /// and the first sample was played.
    time_point said_at{};
    time_point begun_at{};
    time_point chunk_at{};
    time_point made_at{};
    time_point sound_at{};
    /// How long a voice detector would have waited before it told that the user stopped.
    duration vad_stop{};
};

/// Voice to voice: the silence between the user's last word and the reply's first sample, in parts
/// that add up. None is negative.
struct spoken_timing {
    gateway::voice_timing stage{};  ///< until the first chunk came
    duration synthesis{};           ///< until its sound was made
    duration playback{};            ///< until the first sample was played

    duration total() const noexcept { return stage.total() + synthesis + playback; }
};

/// `result` is the reply's. Pure.
spoken_timing timing_of(const spoken_marks& marks, const reply_result& result);

/// Calls `visit(const char* name, duration part)` for each part, in their order.
template <class Visitor>
void for_each_part(const spoken_timing& t, Visitor&& visit) {
    gateway::for_each_voice_part(t.stage, visit);
    visit("synthesis", t.synthesis);
    visit("playback", t.playback);
}

}  // namespace tandem::command
