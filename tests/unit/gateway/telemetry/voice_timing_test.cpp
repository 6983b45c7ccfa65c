#include "gateway/telemetry/voice_timing.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using kind = timeline_event::kind;

const time_point asked_at = time_point(100s);

reply_result result_with(std::initializer_list<std::pair<kind, duration>> events) {
    reply_result r;
    for (const auto& [what, at] : events) r.timeline.push_back({.what = what, .at_ns = at.count()});
    return r;
}

voice_timestamps marks_of(duration chunk_after) {
    return {.asked_at = asked_at,
            .begun_at = asked_at + 10ms,
            .chunk_at = asked_at + chunk_after,
            .user_stopped_ago = 700ms,
            .vad_stop = 500ms};
}

TEST(silence, is_reported_in_parts_that_add_up) {
    const auto r = result_with({{kind::slot_wait, 0ms},
                                {kind::request, 20ms},
                                {kind::first_token, 120ms},
                                {kind::chunk, 289ms},
                                {kind::request, 500ms},
                                {kind::first_token, 600ms}});
    const auto t = compute_voice_timing(marks_of(300ms), r);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->detector, 500ms);
    EXPECT_EQ(t->before_start, 200ms);
    EXPECT_EQ(t->turn_wait, 10ms);
    EXPECT_EQ(t->slot_wait, 20ms);
    EXPECT_EQ(t->first_token, 100ms);
    EXPECT_EQ(t->first_chunk, 170ms);
    EXPECT_EQ(t->total(), 1000ms);
}

TEST(silence, is_not_known_if_the_client_does_not_report_its_begin) {
    auto marks = marks_of(300ms);
    marks.user_stopped_ago = marks.vad_stop = std::nullopt;
    EXPECT_FALSE(compute_voice_timing(marks, {}));
}

template <class Mark>
auto timing_without(Mark mark) {
    auto marks = marks_of(300ms);
    marks.*mark = std::nullopt;
    return compute_voice_timing(marks, {});
}

TEST(silence, begins_with_the_detectors_wait_if_only_that_is_reported) {
    const auto t = timing_without(&voice_timestamps::user_stopped_ago);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->detector, 500ms);
    EXPECT_EQ(t->before_start, 0ms);
    EXPECT_EQ(t->total(), 800ms);
}

TEST(silence, has_no_detector_if_that_is_not_told) {
    const auto t = timing_without(&voice_timestamps::vad_stop);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->detector, 0ms);
    EXPECT_EQ(t->before_start, 700ms);
}

TEST(silence, adds_up_whatever_the_client_and_the_time_line_say) {
    auto marks = marks_of(50ms);
    marks.vad_stop = 3s;  // longer than the whole silence, which includes it
    const auto late = result_with({{kind::first_token, 900ms}, {kind::request, 2s}});
    const auto t = compute_voice_timing(marks, late);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->total(), 750ms);
    for_each_voice_part(*t, [](const char* name, duration part) { EXPECT_GE(part, 0ms) << name; });
}

TEST(silence, ends_with_text_that_was_there_without_a_request) {
    const auto r = result_with({{kind::chunk, 0ms}, {kind::request, 5ms}});
    const auto t = compute_voice_timing(marks_of(30ms), r);
    ASSERT_TRUE(t);
    EXPECT_EQ(t->slot_wait, 0ms);
    EXPECT_EQ(t->first_chunk, 20ms);
}

}  // namespace
}  // namespace tandem::gateway
