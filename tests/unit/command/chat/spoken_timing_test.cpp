#include "chat/spoken_timing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using kind = timeline_event::kind;

const time_point said = time_point(100s);

reply_result reply_with_times() {
    reply_result r;
    r.timeline = {{.what = kind::request, .at_ns = duration(30ms).count()},
                  {.what = kind::first_token, .at_ns = duration(130ms).count()},
                  {.what = kind::chunk, .at_ns = duration(280ms).count()}};
    return r;
}

spoken_timestamps marks() {
    return {.said_at = said,
            .begun_at = said + 20ms,
            .chunk_at = said + 300ms,
            .made_at = said + 470ms,
            .sound_at = said + 500ms,
            .vad_stop = 200ms};
}

TEST(voice_to_voice, is_reported_in_parts) {
    const auto t = compute_timing(marks(), reply_with_times());
    EXPECT_EQ(t.stage.detector, 200ms);
    EXPECT_EQ(t.stage.turn_wait, 20ms);
    EXPECT_EQ(t.stage.slot_wait, 30ms);
    EXPECT_EQ(t.stage.first_token, 100ms);
    EXPECT_EQ(t.stage.first_chunk, 150ms);
    EXPECT_EQ(t.synthesis, 170ms);
    EXPECT_EQ(t.playback, 30ms);
}

TEST(voice_to_voice, is_the_time_from_the_last_word_to_the_first_sample) {
    EXPECT_EQ(compute_timing(marks(), reply_with_times()).total(), 700ms);
}

TEST(voice_to_voice, has_parts_that_add_up) {
    const auto check = [](const spoken_timing& t) {
        duration sum{};
        for_each_part(t, [&](const char* name, duration part) {
            EXPECT_GE(part, 0ns) << name;
            sum += part;
        });
        EXPECT_EQ(sum, t.total());
    };
    check(compute_timing(marks(), reply_with_times()));
    check(compute_timing(marks(), {}));
    auto m = marks();
    m.vad_stop = {};
    check(compute_timing(m, reply_with_times()));
}

TEST(voice_to_voice, takes_no_longer_where_clocks_disagree) {
    auto m = marks();
    m.made_at = m.chunk_at - 1ms;
    m.sound_at = m.chunk_at - 2ms;
    const auto t = compute_timing(m, reply_with_times());
    EXPECT_EQ(t.synthesis, 0ns);
    EXPECT_EQ(t.playback, 0ns);
    EXPECT_EQ(t.total(), 500ms);
}

TEST(voice_to_voice, names_its_parts_in_their_order) {
    std::vector<std::string> names;
    for_each_part(spoken_timing{}, [&](const char* name, duration) { names.push_back(name); });
    EXPECT_THAT(names, ElementsAre("detector", "before_start", "turn_wait", "slot_wait",
                                   "first_token", "first_chunk", "synthesis", "playback"));
}

}  // namespace
}  // namespace tandem::command
