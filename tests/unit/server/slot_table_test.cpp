#include "server/slot_table.hpp"

#include "loop/clock.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace {

using namespace std::chrono_literals;
using tandem::detail::now;
using tandem::detail::slot_table;

/// Two slots, of which this process has the first. The poll that follows a cut is running.
slot_table polled_table() {
    slot_table table;
    table.scheduler.raise_slot_limit(2);
    table.scheduler.set_slot_count(2);
    table.scheduler.share_slots();
    table.scheduler.bring_back(0, std::nullopt, false);
    table.release_monitor.emplace();
    table.release_monitor->record_cut(0, now(), tandem::slots::server_slot_state::idle);
    table.release_monitor->on_poll_started(now());
    return table;
}

TEST(slot_table, takes_a_request_on_a_slot_of_its_own_for_a_foreign_one) {
    auto table = polled_table();
    EXPECT_EQ(table.find_foreign_use({{.id = 0, .processing = true}}), 0);
}

TEST(slot_table, takes_no_request_of_another_gateway_for_a_foreign_one) {
    auto table = polled_table();
    EXPECT_EQ(table.find_foreign_use({{.id = 1, .processing = true}}), std::nullopt);
}

}  // namespace
