#include "integration/mock_fixture.hpp"

// An interrupt in each phase of a reply. The reply ends immediately and leaves the server idle.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class interrupt : public client_and_mock {
 protected:
    // Interrupts the reply, and expects it to end as interrupted.
    void expect_end(consumer& c) {
        c.interrupt();
        ASSERT_TRUE(loop.run_to_end(c));
        EXPECT_FALSE(c.error());
        EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted);
        EXPECT_EQ(c.result().text, c.text());
        EXPECT_TRUE(server_gets_idle());
    }
    consumer begin(consumer::listener l = consumer::continue_at_once) {
        return consumer(llm->start(prompt), std::move(l));
    }
    // Waits until the first request has generated this number of tokens.
    bool server_generates(int tokens) {
        return server_sees([tokens](const mock::observations& o) {
            const auto requests = o.of_path("/completion");
            return !requests.empty() && requests[0].generated == tokens;
        });
    }
    std::size_t completions() { return server->observe().of_path("/completion").size(); }
};

TEST_F(interrupt, at_once_sends_no_request) {
    start();
    auto c = begin();
    expect_end(c);
    EXPECT_EQ(completions(), 0u);
}

TEST_F(interrupt, while_the_guard_holds_the_slot_back) {
    config.server.slots = 1;
    config.server.reuse_guard = 1h;
    config.limits.queue_timeout = 2h;
    start();
    auto c = begin();
    ASSERT_TRUE(loop.run_until(
        [&] { return log.count(log_level::info, "for the reuse guard of slot 0") == 1; }));
    expect_end(c);
    EXPECT_EQ(completions(), 1u);
    EXPECT_EQ(c.result().metrics.guard_waits, 1);
    EXPECT_GT(c.result().metrics.guard_wait_ms, 0);
}

TEST_F(interrupt, while_the_guard_holds_the_slot_back_leaves_the_loop_no_work) {
    config.server.slots = 1;
    config.server.reuse_guard = 1h;
    config.limits.queue_timeout = 2h;
    server.emplace(server_options);
    config.server.url = server->url();
    boost::asio::io_context ioc;
    llm.emplace(ioc.get_executor(), config, instruments);
    consumer c(llm->start(prompt));
    const auto guard_holds = [&] {
        return log.count(log_level::info, "for the reuse guard of slot 0") > 0;
    };
    while (!guard_holds()) ASSERT_EQ(ioc.run_one_for(reply_runner::patience), 1u);
    c.interrupt();
    ioc.run_for(reply_runner::patience);
    EXPECT_TRUE(c.ended());
    EXPECT_TRUE(ioc.stopped()) << "the loop has work left";
    llm.reset();
}

TEST_F(interrupt, while_another_reply_has_the_slot) {
    config.server.slots = 1;
    start_with({.kind = fault_kind::stall, .at_token = 5});
    auto first = begin();
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].is_processing; }));
    auto second = begin();
    second.interrupt();
    ASSERT_TRUE(loop.run_to_end(second));
    EXPECT_EQ(second.result().finish_reason, finish_reason::interrupted);
    EXPECT_EQ(completions(), 1u);
    first.interrupt();
    ASSERT_TRUE(loop.run_to_end(first));
}

TEST_F(interrupt, before_the_first_token) {
    server_options.poll_interval = 10ms;
    start_with({.kind = fault_kind::stall, .at_token = 0});
    auto c = begin();
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].is_processing; }));
    expect_end(c);
    EXPECT_EQ(c.result().usage.generated, 0);
    EXPECT_EQ(c.result().metrics.cuts, 1);
}

TEST_F(interrupt, while_tokens_come) {
    server_options.poll_interval = 10ms;
    start_with({.kind = fault_kind::stall, .at_token = 5});
    auto c = begin();
    ASSERT_TRUE(server_generates(5));
    expect_end(c);
    EXPECT_EQ(c.chunks().size(), 0u);
}

TEST_F(interrupt, while_a_boundary_waits_for_its_peek) {
    config.chunking.first_chunk_min_tokens = 1;
    config.chunking.peek_hold = 1min;
    server_options.poll_interval = 10ms;
    server_options.replies = {{prompt, "Yes. No."}};
    start_with({.kind = fault_kind::stall, .at_token = 2});
    auto c = begin();
    ASSERT_TRUE(server_generates(2));
    expect_end(c);
    EXPECT_EQ(c.text(), "");
}

TEST_F(interrupt, while_a_chunk_waits_for_its_consumer) {
    start();
    auto reply = llm->start(prompt);
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].uses == 1; }));
    ASSERT_TRUE(server_gets_idle());
    reply.interrupt();
    ASSERT_TRUE(loop.run_until([&] { return reply.ended(); }));
    EXPECT_EQ(reply.result().finish_reason, finish_reason::interrupted);
    EXPECT_EQ(reply.result().text, "");
    EXPECT_GT(reply.result().usage.wasted, 0);
}

TEST_F(interrupt, while_a_chunk_is_spoken) {
    start();
    auto c = begin(consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until([&] { return c.chunks().size() == 1; }));
    expect_end(c);
    EXPECT_EQ(completions(), 1u);
}

TEST_F(interrupt, inside_the_handler_of_a_chunk) {
    start();
    auto c = begin([](consumer& self, const chunk&) { self.interrupt(); });
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.result().finish_reason, finish_reason::interrupted);
    EXPECT_EQ(c.chunks().size(), 1u);
}

TEST_F(interrupt, after_the_end_changes_nothing) {
    start();
    auto c = say();
    c.interrupt();
    loop.ioc.poll();
    EXPECT_EQ(c.result().finish_reason, finish_reason::eos);
}

TEST_F(interrupt, by_dropping_the_handle_is_seen_by_the_server) {
    start_with({.kind = fault_kind::stall, .at_token = 5});
    std::optional<consumer> c = begin();
    ASSERT_TRUE(server_sees([](const auto& o) { return o.slots[0].is_processing; }));
    c.reset();
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(interrupt, of_one_reply_after_the_other_leaves_no_request_behind) {
    start();
    for (int i = 0; i < 50; ++i) {
        auto c = begin([](consumer& self, const chunk&) { self.interrupt(); });
        ASSERT_TRUE(loop.run_to_end(c));
    }
    EXPECT_TRUE(server_gets_idle());
    EXPECT_EQ(completions(), 50u);
}

}  // namespace
}  // namespace tandem::testing
