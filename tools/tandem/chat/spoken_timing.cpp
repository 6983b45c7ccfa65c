#include "chat/spoken_timing.hpp"

#include <algorithm>

namespace tandem::command {

spoken_timing compute_timing(const spoken_timestamps& m, const reply_result& result) {
    const auto chunk_at = std::max(m.chunk_at, m.said_at);
    const auto made_at = std::max(m.made_at, chunk_at);
    const gateway::voice_timestamps stage{.asked_at = m.said_at,
                                          .begun_at = m.begun_at,
                                          .chunk_at = chunk_at,
                                          .vad_stop = m.vad_stop};
    return {.stage = gateway::compute_timing(stage, result).value_or(gateway::voice_timing{}),
            .synthesis = made_at - chunk_at,
            .playback = std::max(m.sound_at, made_at) - made_at};
}

}  // namespace tandem::command
