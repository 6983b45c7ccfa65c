#include "recording/recorded_reply.hpp"

#include "recording/reply_cursor.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {

recorded_reply::recorded_reply(std::vector<recorded_segment> segments)
    : segments_(std::move(segments)) {
    for (std::size_t i = 0; i + 1 < segments_.size(); ++i) {
        auto& s = segments_[i];
        s.to = std::clamp(segments_[i + 1].from, s.from, s.to);
    }
}

answer_script recorded_reply::answer(const playback_request& request, duration peek_hold) {
    auto cursor = std::make_shared<reply_cursor>(shared_from_this(), request, peek_hold);
    return [cursor] { return cursor->next_step(); };
}

std::size_t recorded_reply::find_segment(std::size_t text_bytes) const {
    const auto find = [this](auto fits) {
        const auto found = std::ranges::find_if(
            segments_, [&](const recorded_segment& s) { return !s.is_used && fits(s); });
        return static_cast<std::size_t>(found - segments_.begin());
    };
    const auto same =
        find([text_bytes](const recorded_segment& s) { return s.from == text_bytes; });
    if (same < segments_.size()) return same;
    return find([text_bytes](const recorded_segment& s) { return s.covers(text_bytes); });
}

// Skips rejected requests, because only text can follow within a stream.
std::size_t recorded_reply::find_next_segment(std::size_t index, std::size_t text_bytes) const {
    for (auto i = index + 1; i < segments_.size(); ++i) {
        const auto& s = segments_[i];
        if (s.is_stream() && !s.is_used && s.covers(text_bytes)) return i;
    }
    return segments_.size();
}

}  // namespace tandem::detail
