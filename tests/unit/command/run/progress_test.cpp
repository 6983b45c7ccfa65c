#include "run/progress.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::command::progress_text;
using tandem::command::replay_totals;

TEST(progress_text, starts_with_the_count_alone) {
    EXPECT_EQ(progress_text(replay_totals(200), 100), "0/200 replies");
}

TEST(progress_text, tells_speed_failures_and_the_time_left) {
    replay_totals totals(200);
    tandem::reply_result failed;
    failed.finish_reason = tandem::finish_reason::error;
    tandem::reply_result complete;
    complete.finish_reason = tandem::finish_reason::eos;
    for (int i = 0; i < 38; ++i) totals.add({.where = {"p1", 0}, .result = complete});
    for (int i = 0; i < 2; ++i) totals.add({.where = {"p1", 0}, .result = failed});
    EXPECT_EQ(progress_text(totals, 4000), "40/200 replies, 2 failed, 10.0 a second, 16 s left");
}

}  // namespace
