#include "integration/mock_fixture.hpp"

#include <map>

// The use of slots by replies, as the server observes it.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class slots : public client_and_mock {
 protected:
    std::vector<mock::request_record> completions() {
        return server->observe().of_path("/completion");
    }
};

TEST_F(slots, without_a_guard_the_last_one_is_used_again_and_evaluates_one_token) {
    start();
    const auto c = say();
    const auto requests = completions();
    ASSERT_EQ(requests.size(), static_cast<std::size_t>(c.result().metrics.requests));
    for (std::size_t i = 1; i < requests.size(); ++i) {
        EXPECT_EQ(requests[i].id_slot, 0);
        EXPECT_TRUE(requests[i].prompt_as_ids);
        EXPECT_EQ(requests[i].evaluated, 1);
    }
}

TEST_F(slots, with_a_guard_are_used_in_turn) {
    server_options.parallel = 3;
    config.server.slots = 3;
    config.server.reuse_guard = 1h;
    config.limits.queue_timeout = 2h;
    start();
    auto c = say([](consumer& self, const chunk& piece) {
        if (piece.id.seq < 2)
            self.go_on(piece);
        else
            self.interrupt();
    });
    std::vector<int> used;
    for (const auto& r : completions()) used.push_back(r.id_slot);
    EXPECT_THAT(used, ::testing::ElementsAre(0, 1, 2));
}

TEST_F(slots, are_not_used_within_their_guard) {
    config.server.reuse_guard = 50ms;
    start();
    expect_story();
    std::map<int, std::chrono::steady_clock::time_point> last_start;
    for (const auto& r : completions()) {
        // Measures from the start of the previous use, because the server may notice the end of
        // that use late.
        if (last_start.contains(r.id_slot)) {
            EXPECT_GE(r.arrived - last_start[r.id_slot], 50ms);
        }
        last_start[r.id_slot] = r.started.value();
    }
}

TEST_F(slots, guard_waits_are_logged_and_counted) {
    config.server.slots = 1;
    config.server.reuse_guard = 100ms;  // longer than a busy machine takes between two requests
    start();
    const auto c = say();
    const auto& metrics = c.result().metrics;
    EXPECT_EQ(metrics.guard_waits, metrics.requests - 1);
    EXPECT_GT(metrics.guard_wait_ms, 0);
    EXPECT_GT(c.chunks()[1].metrics.guard_wait_ms, 0);
    EXPECT_EQ(log.count(log_level::warning, "reuse guard"),
              static_cast<std::size_t>(metrics.guard_waits));
}

TEST_F(slots, a_wait_for_the_guard_is_logged_when_it_begins) {
    config.server.slots = 1;
    config.server.reuse_guard = 20ms;
    start();
    expect_story();
    EXPECT_GT(log.count(log_level::info, "ms for the reuse guard of slot 0"), 0u);
}

TEST_F(slots, a_guard_that_is_not_below_the_queue_timeout_is_warned_of_once_the_build_is_known) {
    server_options.build_info = "b7000";
    config.server.reuse_guard = auto_guard;
    config.limits.queue_timeout = 1s;
    start();
    loop.call<server_props>([&](auto h) { llm->async_prepare(std::move(h)); });
    EXPECT_EQ(log.count(log_level::warning, "queue_timeout is 1s, not longer than"), 1u);
}

TEST_F(slots, a_wait_for_other_replies_is_logged_when_it_begins) {
    config.server.slots = 1;
    start();
    auto first = consumer(llm->start(prompt));
    auto second = consumer(llm->start(prompt));
    loop.run_to_end(first);
    loop.run_to_end(second);
    EXPECT_GT(log.count(log_level::info, "reply 2: waits for a slot: 1 in use or promised"), 0u);
}

TEST_F(slots, go_first_to_the_reply_whose_listener_waits_longest) {
    config.server.slots = 1;
    config.server.reuse_guard = 1h;
    config.limits.queue_timeout = 2h;
    start();
    auto first = consumer(llm->start(prompt));
    const auto waits = [this](const char* reply) {
        return [this, reply] { return log.count(log_level::info, reply) > 0; };
    };
    ASSERT_TRUE(loop.run_until(waits("reply 1: waits")));
    auto second = consumer(llm->start(prompt));
    ASSERT_TRUE(loop.run_until(waits("reply 2: waits")));
    EXPECT_EQ(
        log.count(log_level::info, "reply 2: waits for a slot: 1 in use or promised, 1 waiting"),
        1u)
        << "reply 1 is promised the slot";
    first.interrupt();
    second.interrupt();
    EXPECT_TRUE(loop.run_to_end(first));
    EXPECT_TRUE(loop.run_to_end(second));
}

TEST_F(slots, that_the_server_holds_a_request_back_for_is_logged) {
    server_options.faults = {{.kind = fault_kind::slow_headers, .duration = 600ms}};
    start();
    expect_story();
    EXPECT_EQ(log.count(log_level::warning, "reply 1: slot 0: the server held the request"), 1u);
}

TEST_F(slots, wait_for_no_guard_if_the_build_is_known_to_be_sound) {
    config.server.reuse_guard = auto_guard;
    server_options.build_info = "b11669-mock";
    start();
    const auto c = say();
    EXPECT_EQ(c.text(), story);
    EXPECT_GT(c.result().metrics.cuts, 1);
    EXPECT_EQ(c.result().metrics.guard_waits, 0);
    EXPECT_EQ(c.result().metrics.slot, 0) << "the slot used last has the best cache";
    EXPECT_EQ(
        log.count(log_level::info, "reuse guard: 0 ms, build b11669-mock is known to be sound"),
        1u);
}

TEST_F(slots, have_the_guard_if_the_build_is_not_known_to_be_sound) {
    config.server.reuse_guard = auto_guard;
    config.server.slots = 1;
    server_options.build_info = "b7000";
    start();
    auto c = say([](consumer& self, const chunk& piece) {
        self.go_on(piece);
        if (piece.id.seq == 0) self.interrupt();
    });
    EXPECT_EQ(
        log.count(log_level::info, "reuse guard: 2000 ms, build b7000 is not known to be sound"),
        1u);
    auto next = consumer(llm->start(prompt));
    const auto waits = [&] { return log.count(log_level::info, "ms for the reuse guard") > 0; };
    EXPECT_TRUE(loop.run_until(waits));
    next.interrupt();
    EXPECT_TRUE(loop.run_to_end(next));
}

TEST_F(slots, metrics_are_logged_once_a_reply) {
    start();
    expect_story();
    EXPECT_EQ(log.count(log_level::info, "LLMSlotMetrics("), 1u);
}

TEST_F(slots, figures_agree_with_the_servers) {
    start();
    const auto c = say();
    int cached = 0, evaluated = 0;
    for (const auto& r : completions()) {
        cached += r.cached;
        evaluated += r.evaluated;
    }
    EXPECT_EQ(c.result().usage.cached, cached);
    EXPECT_EQ(c.result().usage.evaluated, evaluated);
    EXPECT_EQ(c.result().usage.prompt, completions()[0].prompt_tokens);
    int of_chunks = 0;
    for (const auto& piece : c.chunks())
        of_chunks += piece.metrics.cached + piece.metrics.evaluated;
    EXPECT_EQ(of_chunks, cached + evaluated);
}

TEST_F(slots, are_shared_by_replies_one_request_at_a_time) {
    // Each reply is one chunk, so none is cut. After a cut, the server's slot may still be busy
    // when the client assumes that it is idle.
    config.chunking.first_chunk_min_tokens = config.chunking.first_chunk_max_tokens =
        config.chunking.chunk_max_tokens = 0;
    server_options.replies = {{prompt, "In the evening, the whole town walks down to the harbour"}};
    start();
    std::vector<consumer> said;
    for (int i = 0; i < 20; ++i) said.emplace_back(llm->start(prompt));
    for (auto& c : said) {
        ASSERT_TRUE(loop.run_to_end(c));
        EXPECT_EQ(c.result().finish_reason, finish_reason::eos);
    }
    for (const auto& r : completions()) EXPECT_FALSE(r.deferred) << "request " << r.number;
    for (const auto& s : server->observe().slots) EXPECT_GT(s.uses, 0);
}

TEST_F(slots, are_shared_by_replies_that_are_cut) {
    start();
    std::vector<consumer> said;
    for (int i = 0; i < 10; ++i) said.emplace_back(llm->start(prompt));
    for (auto& c : said) {
        ASSERT_TRUE(loop.run_to_end(c));
        EXPECT_EQ(c.text(), story);
    }
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(slots, are_erased_after_each_cut_if_wanted) {
    config.server.erase_after_cut = true;
    server_options.slot_actions = true;
    start();
    const auto c = say();
    EXPECT_EQ(c.text(), story);
    EXPECT_TRUE(server_gets_idle());
    const auto erased =
        server->observe().of_path("/slots/0").size() + server->observe().of_path("/slots/1").size();
    EXPECT_EQ(erased, static_cast<std::size_t>(c.result().metrics.cuts));
    for (const auto& r : completions()) EXPECT_EQ(r.cached, 0);
}

TEST_F(slots, that_cannot_be_erased_are_warned_of_once_and_used) {
    config.server.erase_after_cut = true;
    start();
    const auto c = say();
    EXPECT_EQ(c.text(), story);
    ASSERT_GT(c.result().metrics.cuts, 1);
    const auto times = [&](log_level level) { return log.count(level, "not erased"); };
    const auto cuts = static_cast<std::size_t>(c.result().metrics.cuts);
    ASSERT_TRUE(loop.run_until(
        [&] { return times(log_level::warning) + times(log_level::debug) == cuts; }));
    EXPECT_EQ(times(log_level::warning), 1u);
}

TEST_F(slots, the_key_is_sent_with_each_request_and_each_connection_is_fresh) {
    start();
    expect_story();
    const auto seen = server->observe();
    EXPECT_EQ(seen.connections, seen.requests.size());
    for (const auto& r : seen.requests)
        EXPECT_EQ(r.header("authorization"), std::string("Bearer ") + api_key) << r.path;
}

}  // namespace
}  // namespace tandem::testing
