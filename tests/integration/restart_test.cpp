#include "integration/mock_fixture.hpp"

#include <set>

// A server stops, and another server starts at the same address.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class restarted_server : public client_and_mock {
 protected:
    restarted_server() {
        // With a guard, the client uses the slots in turn, and therefore each of them.
        config.server.reuse_guard = 20ms;
    }

    void restart_with_slots(int n) {
        server_options.port = server->port();
        server_options.parallel = n;
        server_options.faults.clear();
        server.reset();
        server.emplace(server_options);
    }
    std::size_t times_asked() { return server->observe().of_path("/props").size(); }
    std::set<int> slots_asked_for() {
        std::set<int> slots;
        for (const auto& r : server->observe().of_path("/completion")) slots.insert(r.id_slot);
        return slots;
    }
};

TEST_F(restarted_server, with_fewer_slots_is_asked_again_after_a_broken_stream) {
    start_with({.kind = fault_kind::close, .at_token = 5});
    expect_failure(errc::stream_incomplete);
    restart_with_slots(1);
    expect_story();
    EXPECT_EQ(times_asked(), 1u);
    EXPECT_EQ(slots_asked_for(), std::set{0});
    EXPECT_EQ(log.count(log_level::warning, "slots is 2, but the server has 1"), 1u);
}

TEST_F(restarted_server, with_fewer_slots_is_asked_again_after_a_refused_connection) {
    start();
    expect_story();
    server->stop();
    expect_failure(errc::connect_failed);
    restart_with_slots(1);
    expect_story();
    EXPECT_EQ(slots_asked_for(), std::set{0});
}

TEST_F(restarted_server, that_nobody_missed_is_noticed_by_the_slot_it_used) {
    start();
    expect_story();
    restart_with_slots(1);
    // The new server runs requests for slot 1 on its only slot, 0. The client notices this when the
    // last request of a reply ends.
    ASSERT_TRUE(loop.run_until([&] {
        expect_story();
        return log.count(log_level::warning, "a request to slot 1 ran on slot 0") > 0;
    }));
    const auto before = server->observe().of_path("/completion").size();
    expect_story();
    const auto requests = server->observe().of_path("/completion");
    for (auto i = before; i < requests.size(); ++i) EXPECT_EQ(requests[i].id_slot, 0);
}

TEST_F(restarted_server, with_more_slots_is_used_on_all_of_them_again) {
    server_options.parallel = 1;
    start_with({.kind = fault_kind::close, .at_token = 5});
    expect_failure(errc::stream_incomplete);
    restart_with_slots(2);
    expect_story();
    EXPECT_EQ(slots_asked_for(), (std::set{0, 1}));
}

TEST_F(restarted_server, as_another_build_has_the_guard_of_that_build) {
    config.server.reuse_guard = auto_guard;
    server_options.build_info = "b7000";
    start();
    say([](consumer& c, const chunk&) { c.interrupt(); });
    EXPECT_EQ(log.count(log_level::info, "reuse guard: 2000 ms, build b7000 is not"), 1u);
    server->stop();
    expect_failure(errc::connect_failed);
    server_options.build_info = "b11669";
    restart_with_slots(2);
    const auto c = say();
    EXPECT_EQ(c.text(), story);
    EXPECT_EQ(log.count(log_level::info, "reuse guard: 0 ms, build b11669 is known"), 1u);
    EXPECT_EQ(c.result().metrics.guard_waits, 0);
}

TEST_F(restarted_server, is_not_asked_again_while_all_goes_well) {
    start();
    expect_story();
    expect_story();
    EXPECT_EQ(times_asked(), 1u);
}

TEST_F(restarted_server, that_is_not_there_is_logged_once_by_the_reply_that_wanted_it) {
    start();
    server->stop();
    expect_failure(errc::connect_failed);
    EXPECT_EQ(log.count(log_level::error, "connect_failed"), 1u);
}

}  // namespace
}  // namespace tandem::testing
