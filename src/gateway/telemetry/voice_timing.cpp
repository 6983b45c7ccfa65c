#include "gateway/telemetry/voice_timing.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

/// Time of the first event of this kind, if it comes before the reply's first chunk.
std::optional<duration> first(const reply_result& result, timeline_event::kind what) {
    for (const auto& e : result.timeline) {
        if (e.what == what) return duration(e.at_ns);
        if (e.what == timeline_event::kind::chunk) break;
    }
    return std::nullopt;
}

/// Splits a time span into consecutive parts. A cut outside the remaining span is clamped to it, so
/// that the parts always add up.
class stretch {
 public:
    stretch(time_point from, time_point to) : at_(from), end_(std::max(from, to)) {}

    duration until(time_point cut) {
        const auto to = std::clamp(cut, at_, end_);
        return to - std::exchange(at_, to);
    }
    duration rest() { return until(end_); }

 private:
    time_point at_;
    time_point end_;
};

}  // namespace

std::optional<voice_timing> compute_voice_timing(const voice_timestamps& m,
                                                 const reply_result& result) {
    const auto ago = m.user_stopped_ago ? m.user_stopped_ago : m.vad_stop;
    if (!ago) return std::nullopt;
    const auto in_reply = [&](timeline_event::kind what) {
        return m.begun_at + first(result, what).value_or(duration{});
    };
    const auto stopped = m.asked_at - *ago;
    stretch silence(stopped, m.chunk_at);
    voice_timing t;
    t.detector = silence.until(std::min(stopped + m.vad_stop.value_or(duration{}), m.asked_at));
    t.before_start = silence.until(m.asked_at);
    t.turn_wait = silence.until(m.begun_at);
    t.slot_wait = silence.until(in_reply(timeline_event::kind::request));
    t.first_token = silence.until(in_reply(timeline_event::kind::first_token));
    t.first_chunk = silence.rest();
    return t;
}

}  // namespace tandem::gateway
