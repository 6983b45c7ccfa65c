#include "replay/guard_forecast.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::command::guard_forecast;

constexpr guard_forecast::time_point at_first{};

TEST(guard_forecast, holds_nothing_back_while_a_slot_was_not_used) {
    guard_forecast f(2, 2s);
    EXPECT_EQ(f.remaining_delay(at_first), 0s);
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 0s);
}

TEST(guard_forecast, waits_for_the_slot_that_rests_longest) {
    guard_forecast f(2, 2s);
    f.record_use(0, at_first);
    f.record_use(1, at_first + 500ms);
    EXPECT_EQ(f.remaining_delay(at_first + 500ms), 1500ms);
    EXPECT_EQ(f.remaining_delay(at_first + 2s), 0s);
}

TEST(guard_forecast, may_know_all_slots_that_the_server_has) {
    guard_forecast f(0, 2s);
    EXPECT_EQ(f.remaining_delay(at_first), 0s);
    f.set_server(2, "b1");
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 0s);
    f.record_use(1, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 2s);
}

TEST(guard_forecast, knows_only_the_slots_that_the_server_has) {
    guard_forecast f(2, 2s);
    f.set_server(1, "b1");
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 2s);
    f.set_server(0, "b1");
    f.record_use(1, at_first);
    f.record_use(-1, at_first);
    EXPECT_EQ(f.remaining_delay(at_first + 1s), 1s);
}

TEST(guard_forecast, never_waits_without_a_guard) {
    guard_forecast f(1, 0s);
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 0s);
}

TEST(guard_forecast, follows_the_build_of_the_server_if_that_is_wanted) {
    guard_forecast f(1, std::nullopt);
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 2s);
    f.set_server(1, "b11669-Debian");
    f.record_use(0, at_first + 3s);
    EXPECT_EQ(f.remaining_delay(at_first + 3s), 0s);
}

TEST(guard_forecast, keeps_a_guard_that_was_set_whatever_the_build_is) {
    guard_forecast f(1, 1s);
    f.set_server(1, "b11669-Debian");
    f.record_use(0, at_first);
    EXPECT_EQ(f.remaining_delay(at_first), 1s);
}

}  // namespace
