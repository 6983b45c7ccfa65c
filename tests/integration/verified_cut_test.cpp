#include "integration/mock_fixture.hpp"

// With verify_cut, the client checks whether slots are idle after their cuts. It needs only few
// requests for this.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class verified_cut : public client_and_mock {
 protected:
    verified_cut() { config.server.verify_cut = true; }

    // Runs a reply that ends with its first chunk, and therefore with a cut of slot 0.
    void cut_once() {
        say([](consumer& c, const chunk&) { c.interrupt(); });
        ASSERT_EQ(completions().size(), 1u);
    }
    // The server does not notice the first cut for `time`; 0 = never. The server must still be
    // generating at the end of this time.
    void start_with_unnoticed_cut(std::chrono::milliseconds time) {
        server_options.tokens_per_second = 200;
        start_with({.kind = fault_kind::unnoticed_cut, .duration = time});
    }
    bool logs(log_level level, const char* part) {
        return loop.run_until([&] { return log.count(level, part) > 0; });
    }
    bool slot_is_set_aside() {
        return logs(log_level::warning, "slot 0: still busy at the server ");
    }
    std::vector<mock::request_record> completions() {
        return server->observe().of_path("/completion");
    }
    std::size_t looks() { return server->observe().of_path("/slots").size(); }
};

TEST_F(verified_cut, reports_how_long_the_slot_took_to_get_idle) {
    start();
    consumer c(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(logs(log_level::debug, "slot 0: idle"));
    EXPECT_LE(looks(), 4u);
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.result().metrics.verified_cuts, 1);
    EXPECT_GE(c.result().metrics.cancel_to_idle_ms, 20);
}

TEST_F(verified_cut, is_not_asked_for_if_nobody_wants_it) {
    config.server.verify_cut = false;
    start();
    consumer c(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return !c.chunks().empty(); }));
    EXPECT_TRUE(server_gets_idle());
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(looks(), 0u);
}

TEST_F(verified_cut, sets_a_slot_aside_that_stays_busy_and_uses_it_again) {
    start_with_unnoticed_cut(4s);
    cut_once();
    ASSERT_TRUE(slot_is_set_aside());
    EXPECT_LE(looks(), 4u);
    expect_story();
    const auto requests = completions();
    for (std::size_t i = 1; i < requests.size(); ++i) EXPECT_EQ(requests[i].id_slot, 1);

    const auto looks_before = looks();
    ASSERT_TRUE(logs(log_level::info, "after the cut; used again"));
    EXPECT_LE(looks(), looks_before + 2);
    const auto before = completions().size();
    consumer one(llm->start(prompt)), other(llm->start(prompt));
    ASSERT_TRUE(loop.run_to_end(one) && loop.run_to_end(other));
    const auto all = completions();
    EXPECT_TRUE(std::any_of(all.begin() + static_cast<std::ptrdiff_t>(before), all.end(),
                            [](const auto& r) { return r.id_slot == 0; }));
    EXPECT_EQ(log.count(log_level::warning, "still busy at the server"), 1u);
}

TEST_F(verified_cut, uses_a_stuck_slot_all_the_same_if_it_is_the_only_one) {
    config.server.slots = 1;
    start_with_unnoticed_cut(4s);
    cut_once();
    ASSERT_TRUE(slot_is_set_aside());
    expect_story();
}

TEST_F(verified_cut, leaves_the_server_its_second_if_the_cut_came_before_the_first_token) {
    server_options.prompt_tokens_per_second = 50;
    start();
    consumer c(llm->start(prompt));
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].is_processing; }));
    const auto before_cut = std::chrono::steady_clock::now();
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    ASSERT_TRUE(logs(log_level::debug, "slot 0: idle"));
    const auto asked = server->observe().of_path("/slots");
    EXPECT_GE(asked.at(0).arrived - before_cut, 1200ms);
    for (std::size_t i = 1; i < asked.size(); ++i)
        EXPECT_GE(asked[i].arrived - asked[i - 1].arrived, 2s);
}

TEST_F(verified_cut, is_switched_off_with_a_warning_if_the_server_has_no_slots_endpoint) {
    server_options.slots_endpoint = false;
    start();
    cut_once();
    ASSERT_TRUE(logs(log_level::warning, "verify_cut: cuts are not verified"));
    consumer c(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return !c.chunks().empty(); }));
    EXPECT_TRUE(server_gets_idle());
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(looks(), 1u);
    EXPECT_EQ(log.count(log_level::warning, "verify_cut"), 1u);
}

TEST_F(verified_cut, asks_again_after_a_call_that_failed) {
    start_with({.kind = fault_kind::http_error, .at_token = 0, .path = "/slots", .status = 500});
    cut_once();
    ASSERT_TRUE(logs(log_level::debug, "slot 0: idle"));
    EXPECT_EQ(log.count(log_level::warning, "verify_cut"), 0u);
    EXPECT_GE(looks(), 2u);
}

TEST_F(verified_cut, with_erasing_is_reported_by_that) {
    config.server.erase_after_cut = true;
    server_options.slot_actions = true;
    start();
    consumer c(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(server_sees([](const auto& o) {
        const auto erased = o.of_path("/slots/0");
        return !erased.empty() && erased[0].outcome == mock::outcome::complete;
    }));
    c.go_on(c.chunks().at(0));
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() > 1; }));
    c.interrupt();
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_GE(c.result().metrics.verified_cuts, 1);
    EXPECT_EQ(looks(), 0u);
}

// A client that watches a busy slot must not prevent the end of the event loop or its own end.
class watch_that_is_left : public verified_cut {
 protected:
    // Runs until the client watches slot 0, which stays busy.
    void watch(boost::asio::io_context& ioc) {
        server_options.faults = {{.kind = fault_kind::unnoticed_cut}};
        server.emplace(server_options);
        config.server.url = server->url();
        llm.emplace(ioc.get_executor(), config, instruments);
        consumer c(llm->start(prompt), [](consumer& self, const chunk&) { self.interrupt(); });
        while (looks() == 0) ASSERT_EQ(ioc.run_one_for(reply_runner::patience), 1u);
        ASSERT_TRUE(c.ended());
    }
};

TEST_F(watch_that_is_left, ends_with_the_client) {
    boost::asio::io_context ioc;
    watch(ioc);
    llm.reset();
    ioc.run_for(reply_runner::patience);
    EXPECT_TRUE(ioc.stopped()) << "the loop has work left";
}

TEST_F(watch_that_is_left, ends_with_the_event_loop) {
    {
        boost::asio::io_context ioc;
        watch(ioc);
    }
    llm.reset();
    EXPECT_GE(looks(), 1u);
}

}  // namespace
}  // namespace tandem::testing
