#include "channel/chunk_pump.hpp"
#include "integration/channel_fixture.hpp"

#include "tandem/service.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <stdexcept>

// Every way in which a channel can end. These tests are also run with the thread sanitizer.
namespace tandem::testing {
namespace {

using mock::fault_kind;
using ::testing::HasSubstr;

class channel_end_test : public channels_and_mock {
 protected:
    // The server sends some chunks and then stalls.
    void start_stalling() {
        config.pacing.mode = pacing::stream;
        start_loop_with({.kind = fault_kind::stall, .at_token = 40, .times = 0});
    }
    void expect_end_without_a_pop(errc why) {
        const auto c = attached();
        const auto result = c->wait_result(patience);
        ASSERT_TRUE(result);
        EXPECT_EQ(result->error, why);
        EXPECT_TRUE(c->is_finished());
        running->end();
        EXPECT_TRUE(ioc->stopped()) << "nothing keeps the loop busy";
        expect_end(consume_all(*c), finish_reason::error, why);
    }
    bool server_is_busy() {
        return server_sees([](const auto& o) { return o.slots[0].is_processing; });
    }
};

using cancelled_channel = channel_end_test;
using failed_channel = channel_end_test;
using channel_without_client = channel_end_test;
using channel_without_loop = channel_end_test;

TEST_F(cancelled_channel, ends_at_once_for_a_consumer_that_waits) {
    start_stalling();
    const auto c = attached();
    auto consumer = consume_elsewhere(c);
    ASSERT_TRUE(server_is_busy());
    c->cancel();
    expect_end(consumer.get(), finish_reason::interrupted);
    EXPECT_TRUE(c->is_cancelled());
    const auto result = c->wait_result(patience);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->finish_reason, finish_reason::interrupted);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(cancelled_channel, wakes_all_that_wait_and_tells_one_of_them) {
    start_loop_with({.kind = fault_kind::stall, .at_token = 1});
    const auto c = attached();
    std::vector<std::future<std::optional<stream_chunk>>> waiting;
    for (int i = 0; i < 4; ++i)
        waiting.push_back(std::async(std::launch::async, [&] { return c->wait_pop(24h); }));
    ASSERT_TRUE(server_is_busy());
    c->cancel();
    int told = 0;
    for (auto& w : waiting)
        if (const auto item = w.get()) told += item->finished;
    EXPECT_EQ(told, 1);
}

TEST_F(cancelled_channel, drops_what_was_not_popped) {
    start_loop();
    const auto c = attached({.pace = pace::text, .capacity = 2});
    ASSERT_TRUE(c->wait_pop(patience));
    c->cancel();
    const auto next = c->try_pop();
    ASSERT_TRUE(next);
    EXPECT_TRUE(next->finished);
}

TEST_F(cancelled_channel, takes_no_reply_if_that_was_before) {
    start_loop();
    const auto c = chunk_channel::create();
    c->cancel();
    auto r = llm->start(prompt);
    EXPECT_EQ(c->attach(std::move(r)), errc::channel_finished);
    expect_end(consume_all(*c), finish_reason::interrupted);
    EXPECT_FALSE(c->wait_result(24h)) << "no reply was started";
    const auto other = chunk_channel::create();
    ASSERT_FALSE(other->attach(std::move(r)));
    EXPECT_EQ(consume_all(*other).text, story);
}

TEST_F(cancelled_channel, keeps_the_reason_it_had_before) {
    start_loop();
    const auto c = attached();
    consume_all(*c);
    c->cancel();
    EXPECT_FALSE(c->is_cancelled());
    EXPECT_EQ(c->reason()->finish_reason, finish_reason::eos);
}

TEST_F(cancelled_channel, drops_what_was_not_popped_of_a_reply_that_had_ended) {
    start_loop();
    const auto c = attached({.pace = pace::text, .capacity = 100});
    ASSERT_TRUE(c->wait_result(patience));
    ASSERT_TRUE(c->try_pop());
    c->cancel();
    EXPECT_FALSE(c->is_cancelled());
    const auto rest = consume_all(*c);
    EXPECT_EQ(rest.text, "");
    expect_end(rest, finish_reason::eos);
}

TEST_F(cancelled_channel, drops_the_item_of_a_voice_that_came_too_late) {
    config.limits.continue_timeout = 50ms;
    start_loop();
    const auto c = attached();
    ASSERT_TRUE(c->wait_result(patience));
    c->cancel();
    const auto rest = consume_all(*c);
    EXPECT_EQ(rest.text, "");
    expect_end(rest, finish_reason::error, errc::continue_timeout);
}

TEST_F(cancelled_channel, may_be_so_from_many_threads_at_any_time) {
    start_stalling();
    for (int round = 0; round < 30; ++round) {
        const auto c = chunk_channel::create({.pace = round % 2 ? pace::text : pace::voice});
        auto consumer = consume_elsewhere(c);
        std::atomic<int> terminals = 0;
        std::vector<std::thread> callers;
        for (int i = 0; i < 3; ++i)
            callers.emplace_back([&, i] {
                if (i == 0) c->attach(llm->start(prompt));
                if (i > 0 && round % 3 > 0)
                    if (const auto item = c->wait_pop(std::chrono::milliseconds(round % 5)))
                        terminals += item->finished;
                c->cancel();
            });
        for (auto& t : callers) t.join();
        EXPECT_EQ(terminals + consumer.get().terminals, 1);
        EXPECT_EQ(c->reason()->finish_reason, finish_reason::interrupted);
    }
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(cancelled_channel, is_one_whose_handler_throws) {
    start_stalling();
    const auto c = attached();
    EXPECT_THROW(c->consume([](const stream_chunk&) { throw std::runtime_error("no voice"); }),
                 std::runtime_error);
    EXPECT_TRUE(c->is_cancelled());
    expect_end(consume_all(*c), finish_reason::interrupted);
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(cancelled_channel, is_one_that_is_released) {
    start_stalling();
    auto c = attached();
    ASSERT_TRUE(c->wait_pop(patience));
    c.reset();
    EXPECT_TRUE(server_gets_idle());
    running->end();
    EXPECT_TRUE(ioc->stopped()) << "nothing keeps the loop busy";
}

TEST_F(failed_channel, reports_the_error_of_its_reply) {
    config.pacing.mode = pacing::stream;
    start_loop_with({.kind = fault_kind::close, .at_token = 40});
    const auto c = attached();
    const auto all = consume_all(*c);
    expect_end(all, finish_reason::error, errc::stream_incomplete);
    EXPECT_EQ(std::string(story).rfind(all.text, 0), 0u);
    EXPECT_EQ(c->reason()->error, errc::stream_incomplete);
    EXPECT_NE(c->reason()->diagnostics.to_string(), "");
    EXPECT_EQ(c->result()->error, errc::stream_incomplete);
}

// The reply ends while no request for a chunk is pending, because the voice is busy with a chunk.
TEST_F(failed_channel, reports_at_once_that_its_consumer_stays_away) {
    config.limits.continue_timeout = 50ms;
    start_loop();
    expect_end_without_a_pop(errc::continue_timeout);
}

TEST_F(failed_channel, reports_at_once_that_its_reply_takes_too_long) {
    config.limits.reply_timeout = 200ms;
    start_loop();
    expect_end_without_a_pop(errc::reply_timeout);
}

// Simulates a channel that runs out of memory.
struct throwing_sink final : detail::chunk_sink {
    std::optional<chunk_id> deliver(chunk) override { throw std::runtime_error("no room"); }
    void on_end(channel_end why, std::optional<reply_result>) noexcept override {
        end.set_value(std::move(why));
    }
    std::promise<channel_end> end;
};

TEST_F(failed_channel, reports_an_exception_in_what_feeds_it) {
    start_loop();
    const auto sink = std::make_shared<throwing_sink>();
    const auto pump = detail::chunk_pump::make(llm->start(prompt), sink);
    pump->start();
    const auto why = sink->end.get_future().get();
    EXPECT_EQ(why.finish_reason, finish_reason::error);
    EXPECT_EQ(why.error, errc::channel_failed);
    EXPECT_EQ(why.diagnostics.client_message, "no room");
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(channel_without_client, ends_for_a_consumer_that_waits) {
    start_stalling();
    const auto c = attached({.pace = pace::text, .capacity = 100});
    auto consumer = consume_elsewhere(c);
    ASSERT_TRUE(server_is_busy());
    llm.reset();
    expect_end(consumer.get(), finish_reason::error, errc::client_destroyed);
    EXPECT_EQ(c->result()->error, errc::client_destroyed);
}

TEST_F(channel_without_client, ends_for_a_consumer_that_speaks) {
    start_stalling();
    const auto c = attached();
    ASSERT_TRUE(c->wait_pop(patience));
    llm.reset();
    ASSERT_TRUE(c->wait_result(patience)) << "without a pop";
    EXPECT_TRUE(c->is_finished());
    expect_end(consume_all(*c), finish_reason::error, errc::client_destroyed);
}

TEST_F(channel_without_client, ends_at_once_if_it_is_attached_afterwards) {
    start_loop();
    auto r = llm->start(prompt);
    llm.reset();
    const auto c = chunk_channel::create();
    ASSERT_FALSE(c->attach(std::move(r)));
    expect_end(consume_all(*c), finish_reason::error, errc::client_destroyed);
}

class channel_of_a_conversation : public channel_end_test {
 protected:
    void start_service() {
        server_options.replies = {{"", story}};
        start_stalling();
        bots.emplace(ioc->get_executor(), service_config{.client = config}, instruments);
        talk.emplace(bots->create());
        ASSERT_FALSE(channel->attach(talk->say("Hello")));
        ASSERT_TRUE(channel->wait_pop(patience));
    }

    std::optional<service> bots;
    std::optional<conversation> talk;
    std::shared_ptr<chunk_channel> channel = chunk_channel::create();
};

TEST_F(channel_of_a_conversation, ends_with_the_conversation) {
    start_service();
    talk.reset();
    expect_end(consume_all(*channel), finish_reason::interrupted);
}

TEST_F(channel_of_a_conversation, ends_at_once_with_the_turn) {
    start_service();
    talk->interrupt();
    ASSERT_TRUE(channel->wait_result(patience)) << "without a pop";
    EXPECT_TRUE(channel->is_finished());
    EXPECT_FALSE(channel->is_cancelled());
    expect_end(consume_all(*channel), finish_reason::interrupted);
}

TEST_F(channel_of_a_conversation, ends_with_the_service) {
    start_service();
    bots.reset();
    expect_end(consume_all(*channel), finish_reason::error, errc::client_destroyed);
}

// --- a loop that does not run

TEST_F(channel_without_loop, ends_when_the_loop_is_stopped) {
    start_stalling();
    const auto c = attached({.pace = pace::text, .capacity = 100});
    auto consumer = consume_elsewhere(c);
    ASSERT_TRUE(server_is_busy());
    ioc->stop();
    expect_end(consumer.get(), finish_reason::error, errc::context_stopped);
    EXPECT_THAT(c->reason()->diagnostics.client_message, HasSubstr("was stopped"));
    EXPECT_FALSE(c->wait_result(24h)) << "the reply cannot report its result any more";
}

TEST_F(channel_without_loop, ends_for_one_that_polls_a_stopped_loop) {
    start_stalling();
    const auto c = attached({.pace = pace::text, .capacity = 100});
    ioc->stop();
    consumed all;
    while (all.terminals == 0)
        if (const auto item = c->try_pop()) all.add(*item);
    expect_end(all, finish_reason::error, errc::context_stopped);
}

TEST_F(channel_without_loop, is_interrupted_if_the_loop_is_run_again) {
    start_stalling();
    const auto c = attached();
    auto consumer = consume_elsewhere(c);
    ASSERT_TRUE(server_is_busy());
    ioc->stop();
    consumer.get();
    running.reset();
    ioc->restart();
    running.emplace(*ioc);
    const auto result = c->wait_result(patience);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->finish_reason, finish_reason::interrupted);
    EXPECT_EQ(c->reason()->error, errc::context_stopped) << "the first reason counts";
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(channel_without_loop, ends_when_the_loop_is_destroyed) {
    start_stalling();
    llm.reset();
    auto here = std::make_unique<boost::asio::io_context>(1);
    llm.emplace(here->get_executor(), config, instruments);
    const auto c = attached();
    auto consumer = consume_elsewhere(c);
    const auto asked = [&] { return !server->observe().of_path("/completion").empty(); };
    while (!asked()) here->run_one_for(5ms);
    here.reset();
    expect_end(consumer.get(), finish_reason::error, errc::context_stopped);
    EXPECT_THAT(c->reason()->diagnostics.client_message, HasSubstr("was destroyed"));
    EXPECT_FALSE(c->wait_result(24h));
}

TEST_F(channel_without_loop, ends_when_the_loop_is_destroyed_after_any_number_of_steps) {
    start_loop();
    llm.reset();
    for (int steps = 0; steps < 40; ++steps)
        for (const auto p : {pace::voice, pace::text}) {
            const auto c = chunk_channel::create({.pace = p, .capacity = 1});
            auto consumer = consume_elsewhere(c);
            {
                boost::asio::io_context here(1);
                client short_lived(here.get_executor(), config, instruments);
                ASSERT_FALSE(c->attach(short_lived.start(prompt)));
                for (int i = 0; i < steps; ++i) here.run_one_for(1ms);
            }
            const auto all = consumer.get();
            if (all.last().finish_reason != finish_reason::eos)
                expect_end(all, finish_reason::error, errc::context_stopped);
            EXPECT_EQ(all.terminals, 1);
        }
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

// The consumer checks the loop, pops and cancels while the loop is destroyed.
TEST_F(channel_without_loop, is_safe_while_the_loop_is_stopped_and_destroyed) {
    start_loop();
    llm.reset();
    for (int round = 0; round < 40; ++round) {
        const auto c = chunk_channel::create({.pace = round % 2 ? pace::text : pace::voice});
        auto poll = std::async(std::launch::async, [&] {
            consumed all;
            while (all.terminals == 0) {
                if (const auto item = c->try_pop()) all.add(*item);
                if (round % 4 == 3 && all.items.size() == 2) c->cancel();
            }
            return all;
        });
        {
            boost::asio::io_context here(1);
            client short_lived(here.get_executor(), config, instruments);
            ASSERT_FALSE(c->attach(short_lived.start(prompt)));
            std::thread loop_there([&] { here.run_for(std::chrono::milliseconds(round % 8)); });
            if (round % 3 == 0) here.stop();
            loop_there.join();
        }
        EXPECT_EQ(poll.get().terminals, 1);
    }
}

TEST_F(channel_without_loop, is_released_before_and_after_its_loop) {
    start_loop();
    llm.reset();
    for (const bool is_after : {false, true})
        for (int steps = 0; steps < 30; steps += 3) {
            auto c = chunk_channel::create();
            {
                boost::asio::io_context here(1);
                client short_lived(here.get_executor(), config, instruments);
                ASSERT_FALSE(c->attach(short_lived.start(prompt)));
                for (int i = 0; i < steps; ++i) here.run_one_for(1ms);
                if (!is_after) c.reset();
            }
        }
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(channel_without_loop, ends_when_its_thread_pool_is_destroyed) {
    start_stalling();
    llm.reset();
    std::future<consumed> consumer;
    {
        boost::asio::thread_pool pool(2);
        llm.emplace(pool.get_executor(), config, instruments);
        consumer = consume_elsewhere(attached());
        ASSERT_TRUE(server_is_busy());
        pool.stop();
    }
    expect_end(consumer.get(), finish_reason::error, errc::context_stopped);
}

TEST_F(channel_without_loop, takes_no_reply_whose_loop_is_gone) {
    start_loop();
    llm.reset();
    std::vector<reply> replies;
    {
        boost::asio::io_context gone(1);
        llm.emplace(gone.get_executor(), config, instruments);
        replies.push_back(llm->start(prompt));
    }
    const auto c = chunk_channel::create();
    EXPECT_EQ(c->attach(std::move(replies[0])), errc::context_stopped);
    EXPECT_EQ(chunk_channel::attach_all({c}, replies), errc::context_stopped);
    EXPECT_EQ(chunk_channel::start_all(*llm, {prompt}, {c}), errc::context_stopped);
    EXPECT_FALSE(c->is_finished()) << "the channel can serve another reply";
}

}  // namespace
}  // namespace tandem::testing
