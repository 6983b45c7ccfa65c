#include "integration/mock_fixture.hpp"

#include "tandem/read_all.hpp"
#include "tandem/service.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <optional>
#include <utility>

// An io_context is destroyed before its work is done. Waiting handlers are destroyed, not called.
namespace tandem::testing {
namespace {

using boost::asio::awaitable;
using boost::asio::use_awaitable;
using mock::fault_kind;

// A detached coroutine owns the objects that it waits on. It also owns the witness, which shows
// whether the coroutine still exists.
using witness = std::shared_ptr<int>;
using coroutine = awaitable<void> (*)(config, witness);

awaitable<void> wait_for_chunk(config c, witness) {
    client llm(co_await boost::asio::this_coro::executor, c);
    auto reply = llm.start(prompt);
    while (auto piece = co_await reply.async_next_chunk(use_awaitable))
        reply.continue_after(piece->id);
}

awaitable<void> wait_for_slot(config c, witness) {
    client llm(co_await boost::asio::this_coro::executor, c);
    auto first = llm.start(prompt);
    auto queued = llm.start(prompt);
    co_await queued.async_next_chunk(use_awaitable);
}

awaitable<void> wait_for_props(config c, witness) {
    client llm(co_await boost::asio::this_coro::executor, c);
    co_await llm.async_props(use_awaitable);
}

awaitable<void> wait_until_prepared(config c, witness) {
    client llm(co_await boost::asio::this_coro::executor, c);
    co_await llm.async_prepare(use_awaitable);
}

class ended_context : public client_and_mock {
 protected:
    void start_without_answer_to(const std::string& path) {
        server_options.faults = {
            {.kind = fault_kind::slow_headers, .duration = 60s, .times = 0, .path = path}};
        server.emplace(server_options);
        config.server.url = server->url();
    }
    bool asked_for(const std::string& path) { return !server->observe().of_path(path).empty(); }
    // Destroys the loop after the server has received a request for `path`.
    void expect_nothing_left_of(coroutine run, const std::string& path) {
        start_without_answer_to(path);
        const auto alive = std::make_shared<int>();
        {
            reply_runner short_lived;
            co_spawn(short_lived.ioc, run(config, alive), boost::asio::detached);
            ASSERT_TRUE(short_lived.run_until([&] { return asked_for(path); }));
        }
        EXPECT_EQ(alive.use_count(), 1) << "the coroutine was not destroyed";
        EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
    }
};

TEST_F(ended_context, drops_a_coroutine_that_waits_for_a_chunk) {
    expect_nothing_left_of(wait_for_chunk, "/completion");
}

TEST_F(ended_context, drops_a_coroutine_that_waits_for_a_slot) {
    config.server.slots = 1;
    expect_nothing_left_of(wait_for_slot, "/completion");
}

TEST_F(ended_context, drops_a_coroutine_whose_reply_waits_for_props) {
    expect_nothing_left_of(wait_for_chunk, "/props");
}

TEST_F(ended_context, drops_a_coroutine_that_waits_for_a_call) {
    expect_nothing_left_of(wait_for_props, "/props");
}

TEST_F(ended_context, drops_a_coroutine_that_waits_until_the_client_is_prepared) {
    expect_nothing_left_of(wait_until_prepared, "/props");
}

TEST_F(ended_context, drops_coroutines_after_any_number_of_steps) {
    server.emplace(server_options);
    config.server.url = server->url();
    for (int steps = 0; steps < 40; ++steps)
        for (const auto run : {wait_for_chunk, wait_for_slot, wait_for_props}) {
            const auto alive = std::make_shared<int>();
            {
                boost::asio::io_context ioc;
                co_spawn(ioc, run(config, alive), boost::asio::detached);
                for (int i = 0; i < steps; ++i) ioc.run_one_for(5ms);
            }
            EXPECT_EQ(alive.use_count(), 1) << "after " << steps << " steps";
        }
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(ended_context, drops_a_coroutine_on_a_strand_of_a_thread_pool) {
    start_without_answer_to("/completion");
    const auto alive = std::make_shared<int>();
    {
        boost::asio::thread_pool pool(2);
        co_spawn(make_strand(pool), wait_for_chunk(config, alive), boost::asio::detached);
        ASSERT_TRUE(loop.run_until([&] { return asked_for("/completion"); }));
    }
    EXPECT_EQ(alive.use_count(), 1) << "the coroutine was not destroyed";
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

// The chunk is already posted to the handler's executor, on which the next chunk would be
// requested.
TEST_F(ended_context, ends_the_reading_of_a_reply_whose_handler_has_another_context) {
    start();
    boost::asio::io_context other;
    const auto alive = std::make_shared<int>();
    bool is_called = false;
    {
        reply_runner short_lived;
        client asked(short_lived.ioc.get_executor(), config, instruments);
        async_read_all(asked.start(prompt),
                       bind_executor(other, [&, alive](auto...) { is_called = true; }));
        ASSERT_TRUE(short_lived.run_until([&] {
            const auto seen = server->observe();
            return !seen.of_path("/completion").empty() && seen.open_connections == 0;
        }));
    }
    EXPECT_EQ(other.poll(), 1u) << "the chunk was on its way";
    EXPECT_FALSE(is_called);
    EXPECT_EQ(alive.use_count(), 1) << "the handler is kept";
}

// Handles of a loop that has been destroyed.
class handles_of_an_ended_context : public ended_context {
 protected:
    void make_handles(int steps) {
        boost::asio::io_context ioc;
        llm.emplace(ioc.get_executor(), config, instruments);
        for (int i = 0; i < 2; ++i) {
            replies.push_back(llm->start(prompt));
            replies.back().async_next_chunk([this](auto...) { ++called; });
        }
        llm->async_slots([this](auto...) { ++called; });
        for (int i = 0; i < steps; ++i) ioc.run_one_for(5ms);
        called = 0;
    }

    std::vector<reply> replies;
    int called = 0;
};

TEST_F(handles_of_an_ended_context, may_be_destroyed_in_any_order) {
    start();
    for (int steps = 0; steps < 40; ++steps) {
        make_handles(steps);
        if (steps % 2) llm.reset();
        replies.clear();
        llm.reset();
        EXPECT_EQ(called, 0);
    }
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(handles_of_an_ended_context, do_nothing_more) {
    start_without_answer_to("/completion");
    make_handles(10);
    auto& reply = replies[0];
    reply.continue_after({reply.id(), 0});
    reply.interrupt();
    reply.async_next_chunk([this](auto...) { ++called; });
    llm->async_slots([this](auto...) { ++called; });
    auto late = llm->start(prompt);
    EXPECT_FALSE(reply.ended());
    EXPECT_FALSE(late.ended());
    EXPECT_EQ(reply.result().error, errc::operation_in_progress);
    EXPECT_FALSE(llm->get_executor());
    EXPECT_EQ(called, 0);
}

// Objects that a handler owns may use the library in their destructors.
TEST_F(ended_context, lets_a_dropped_handler_use_other_handles) {
    start_without_answer_to("/completion");
    {
        auto ending = std::make_unique<boost::asio::io_context>();
        client other(ending->get_executor(), config, instruments);
        client asked(ending->get_executor(), config, instruments);
        auto reply = asked.start(prompt);
        const auto use_both = [&](int*) {
            reply.interrupt();
            for (auto* c : {&other, &asked}) {
                c->start(prompt).async_next_chunk([](auto...) {});
                c->async_health([](auto...) {});
            }
        };
        reply.async_next_chunk([w = std::shared_ptr<int>(nullptr, use_both)](auto...) {});
        for (int i = 0; i < 5; ++i) ending->run_one_for(5ms);
        ending.reset();
    }
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

// The documented order: first the client or service, then the context, and last the handles.
TEST_F(ended_context, may_come_between_the_ends_of_a_client_and_of_its_reply) {
    start();
    for (int steps = 1; steps < 30; ++steps) {
        std::optional<reply> left;
        {
            boost::asio::io_context ioc;
            {
                client ended_first(ioc.get_executor(), config, instruments);
                left = ended_first.start(prompt);
                left->async_next_chunk([](auto...) {});
                for (int i = 0; i < steps; ++i) ioc.run_one_for(5ms);
            }
            ioc.restart();
            ioc.run();
        }
        EXPECT_TRUE(left->ended());
    }
}

TEST_F(ended_context, may_come_between_the_ends_of_a_service_and_of_its_conversation) {
    start();
    for (int steps = 1; steps < 30; ++steps) {
        std::optional<conversation> talk;
        {
            boost::asio::io_context ioc;
            {
                service bots(ioc.get_executor(), {.servers = {config.server.url}});
                talk = bots.create();
                talk->say("Hello").async_next_chunk([](auto...) {});
                for (int i = 0; i < steps; ++i) ioc.run_one_for(5ms);
            }
            ioc.restart();
            ioc.run();
        }
        talk->interrupt();
    }
}

TEST_F(ended_context, is_not_put_off_by_a_conversation_that_ended_before_it_began) {
    start();
    boost::asio::io_context ioc;
    service bots(ioc.get_executor(), {.servers = {config.server.url}});
    std::optional<conversation> talk;
    boost::asio::post(bots.get_executor(), [&] { talk.reset(); });
    talk = bots.create();
    ioc.run_for(reply_runner::patience);
    EXPECT_TRUE(ioc.stopped());
}

}  // namespace
}  // namespace tandem::testing
