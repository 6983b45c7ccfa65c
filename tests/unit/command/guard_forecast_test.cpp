#include "guard_forecast.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::command::guard_forecast;

constexpr guard_forecast::time_point start{};

TEST(guard_forecast, holds_nothing_back_while_a_slot_was_not_used) {
    guard_forecast f(2, 2s);
    EXPECT_EQ(f.left(start), 0s);
    f.used(0, start);
    EXPECT_EQ(f.left(start), 0s);
}

TEST(guard_forecast, waits_for_the_slot_that_rests_longest) {
    guard_forecast f(2, 2s);
    f.used(0, start);
    f.used(1, start + 500ms);
    EXPECT_EQ(f.left(start + 500ms), 1500ms);
    EXPECT_EQ(f.left(start + 2s), 0s);
}

TEST(guard_forecast, knows_only_the_slots_that_the_server_has) {
    guard_forecast f(2, 2s);
    f.limit_to(1);
    f.used(0, start);
    EXPECT_EQ(f.left(start), 2s);
    f.limit_to(0);
    f.used(1, start);
    f.used(-1, start);
    EXPECT_EQ(f.left(start + 1s), 1s);
}

TEST(guard_forecast, never_waits_without_a_guard) {
    guard_forecast f(1, 0s);
    f.used(0, start);
    EXPECT_EQ(f.left(start), 0s);
}

}  // namespace
