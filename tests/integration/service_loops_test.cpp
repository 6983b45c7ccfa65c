// Conversations on several loops, each with a thread of its own, that share the servers' slots.
// Meant for the thread sanitizer as well.

#include "service_fixture.hpp"
#include "support/slot_overlaps.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>

#include <array>
#include <future>
#include <stdexcept>
#include <thread>

namespace {

using namespace tandem;
using namespace tandem::testing;
using boost::asio::use_future;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// An event loop with a thread that runs it.
class running_loop {
 public:
    running_loop() : thread_([this] { ioc.run(); }) {}
    ~running_loop() {
        busy_.reset();
        thread_.join();
    }
    running_loop(const running_loop&) = delete;
    running_loop& operator=(const running_loop&) = delete;

    std::thread::id thread() const { return thread_.get_id(); }

    boost::asio::io_context ioc{1};

 private:
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_{
        ioc.get_executor()};
    std::thread thread_;
};

class service_on_loops : public service_and_mocks {
 protected:
    void start(int servers, std::size_t count) {
        for (int i = 0; i < servers; ++i) {
            mocks.push_back(std::make_unique<mock::server>(server_options));
            config.servers.push_back(mocks.back()->url());
        }
        std::vector<boost::asio::any_io_executor> executors;
        for (std::size_t i = 0; i < count; ++i) {
            running.push_back(std::make_unique<running_loop>());
            executors.push_back(running.back()->ioc.get_executor());
        }
        bots.emplace(executors, config);
    }
    void TearDown() override {
        bots.reset();
        running.clear();
    }

    conversation talk_on(std::size_t loop) { return bots->create(config.conversation, {}, loop); }
    /// The text of a whole turn, whose chunks are continued at once.
    static std::string say(conversation& talk, const std::string& text) {
        auto reply = talk.say(text);
        std::string all;
        while (auto piece = reply.async_next_chunk(use_future).get()) {
            all += piece->text;
            reply.continue_after(piece->id);
        }
        return all;
    }
    /// A turn of each of many conversations at once, spread over the loops; gives their texts.
    std::vector<std::string> say_hello(std::size_t conversations) {
        std::vector<std::future<std::string>> callers;
        for (std::size_t i = 0; i < conversations; ++i)
            callers.push_back(std::async(std::launch::async, [this] {
                auto talk = bots->create();
                return say(talk, "Hello!");
            }));
        std::vector<std::string> all;
        for (auto& caller : callers) all.push_back(caller.get());
        return all;
    }
    /// Waits until it is so, by asking the service again and again.
    template <class Condition>
    std::vector<server_status> servers_until(Condition is_so) {
        const auto end = std::chrono::steady_clock::now() + reply_runner::patience;
        for (;;) {
            auto list = bots->async_servers(use_future).get();
            if (is_so(list) || std::chrono::steady_clock::now() > end) return list;
        }
    }

    static constexpr const char* hello = "Hello. How are you? I am very well today, thank you.";
    std::vector<std::unique_ptr<running_loop>> running;
};

TEST_F(service_on_loops, refuses_to_work_on_none) {
    config.servers = {"http://127.0.0.1:1"};
    EXPECT_THROW(service(std::vector<boost::asio::any_io_executor>{}, config), config_error);
}

TEST_F(service_on_loops, has_a_conversation_work_where_it_is_wanted) {
    start(1, 3);
    EXPECT_EQ(bots->loops(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        auto talk = talk_on(i);
        auto reply = talk.say("And you?");
        std::promise<std::thread::id> told;
        reply.async_next_chunk([&](error_code, const std::optional<chunk>&) {
            told.set_value(std::this_thread::get_id());
        });
        EXPECT_EQ(told.get_future().get(), running[i]->thread());
        reply.interrupt();
    }
    EXPECT_THROW(talk_on(3), std::out_of_range);
}

TEST_F(service_on_loops, never_has_two_requests_on_one_slot) {
    server_options.parallel = 2;
    config.server.pacing = pacing::strict;
    start(2, 3);
    EXPECT_THAT(say_hello(24), Each(std::string(hello)));
    for (const auto& m : mocks) {
        EXPECT_THAT(slot_overlaps(m->observe()), IsEmpty());
        for (const auto& request : completions(*m)) EXPECT_FALSE(request.deferred);
    }
}

TEST_F(service_on_loops, keeps_the_guard_of_a_slot_that_another_loop_used) {
    server_options.parallel = 1;
    config.server.reuse_guard = 30ms;
    config.server.pacing = pacing::strict;
    start(1, 2);
    EXPECT_THAT(say_hello(4), Each(std::string(hello)));
    const auto requests = completions(server());
    // Counted from the start of the use before: the server may see its end late.
    for (std::size_t i = 1; i < requests.size(); ++i)
        EXPECT_GE(requests[i].arrived - requests[i - 1].started.value(), 30ms);
}

TEST_F(service_on_loops, gives_a_slot_to_another_loop_that_waits_for_it) {
    server_options.parallel = 1;
    config.server.pacing = pacing::strict;
    start(1, 2);
    auto first = talk_on(0);
    auto reply = first.say("Hello!");
    ASSERT_TRUE(reply.async_next_chunk(use_future).get()) << "it keeps its slot while it rests";
    auto second = talk_on(1);
    auto waiting = second.say("And you?");
    auto chunk = waiting.async_next_chunk(use_future);
    servers_until([](const auto& list) { return list.at(0).waiting == 1; });
    EXPECT_EQ(chunk.wait_for(0s), std::future_status::timeout);
    reply.interrupt();
    const auto got = chunk.get();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->text, "I am well, too.");
}

TEST_F(service_on_loops, takes_slots_of_an_isolated_conversation_of_another_loop_only_when_empty) {
    server_options.parallel = 1;
    server_options.slot_actions = true;
    config.conversation.isolate = true;
    config.server.pacing = pacing::strict;
    start(1, 2);
    auto first = talk_on(0);
    auto second = talk_on(1);
    say(first, "And you?");
    say(second, "And you?");
    const auto requests = completions(server());
    ASSERT_THAT(requests, SizeIs(2));
    EXPECT_EQ(requests[1].cached, 0) << "the same prompt, and nothing of it was left";
}

TEST_F(service_on_loops, knows_on_all_loops_that_a_server_is_away) {
    config.health_interval = 1h;
    start(2, 2);
    auto first = talk_on(0);
    say(first, "And you?");
    const auto at = first.async_state(use_future).get().server;
    (at == server(0).url() ? server(0) : server(1)).stop();
    EXPECT_EQ(say(first, "Hello!"), hello) << "it meets nobody, and goes to the other one";
    for (int i = 0; i < 3; ++i) {
        auto another = talk_on(1);
        EXPECT_EQ(say(another, "And you?"), "I am well, too.");
    }
    EXPECT_EQ(log.count(log_level::warning, at + ": down"), 1u) << "it was found out once";
}

TEST_F(service_on_loops, asks_a_server_anew_on_all_loops_after_a_failure_on_one) {
    config.server.retries = 0;
    start(1, 2);
    auto first = talk_on(0);
    auto second = talk_on(1);
    say(first, "And you?");
    say(second, "And you?");
    EXPECT_THAT(server().observe().of_path("/props"), SizeIs(1)) << "one loop asks for both";
    server().inject({.kind = mock::fault_kind::reset, .at_token = 1, .path = "/completion"});
    auto broken = first.say("Hello!");
    std::promise<error_code> end;
    broken.async_next_chunk([&](error_code ec, const auto&) { end.set_value(ec); });
    ASSERT_TRUE(end.get_future().get());
    say(second, "And you?");
    EXPECT_THAT(server().observe().of_path("/props"), SizeIs(2))
        << "it may be another server by now";
}

TEST_F(service_on_loops, lets_a_removed_server_finish_what_runs_on_any_loop) {
    config.server.pacing = pacing::strict;
    start(1, 2);
    auto talk = talk_on(1);
    auto reply = talk.say("Hello!");
    auto piece = reply.async_next_chunk(use_future).get();
    ASSERT_TRUE(piece);
    bots->remove_server(server().url());
    const auto draining = servers_until([](const auto& list) { return list.at(0).draining; });
    EXPECT_EQ(draining.at(0).generating, 1);
    std::string all;
    for (; piece; piece = reply.async_next_chunk(use_future).get()) {
        all += piece->text;
        reply.continue_after(piece->id);
    }
    EXPECT_EQ(all, hello);
    servers_until([](const auto& list) { return list.empty(); });
    EXPECT_THAT(servers_until([](const auto& list) { return list.empty(); }), IsEmpty());
}

TEST_F(service_on_loops, ends_all_its_replies_when_it_is_destroyed) {
    server_options.parallel = 6;
    config.server.pacing = pacing::strict;
    start(1, 3);
    std::vector<conversation> talks;
    std::vector<reply> replies;
    std::array<std::promise<error_code>, 3> ends;
    for (std::size_t i = 0; i < 3; ++i) {
        talks.push_back(talk_on(i));
        replies.push_back(talks.back().say("Hello!"));
    }
    ASSERT_TRUE(replies[0].async_next_chunk(use_future).get());
    bots.reset();
    for (std::size_t i = 0; i < 3; ++i)
        // What was said before may still come.
        replies[i].async_next_chunk([&, i](error_code ec, const std::optional<chunk>& piece) {
            if (!piece) return ends[i].set_value(ec);
            replies[i].async_next_chunk(
                [&, i](error_code end, const std::optional<chunk>&) { ends[i].set_value(end); });
        });
    for (auto& end : ends) EXPECT_EQ(end.get_future().get(), errc::client_destroyed);
}

// A program should let all loops live as long as the service, and one that does not must not lose
// slots.
TEST_F(service_on_loops, gives_the_slots_of_a_loop_that_is_gone_to_the_others) {
    server_options.parallel = 1;
    config.server.pacing = pacing::strict;
    mocks.push_back(std::make_unique<mock::server>(server_options));
    config.servers.push_back(mocks.back()->url());
    auto short_lived = std::make_unique<boost::asio::io_context>();
    bots.emplace(std::vector<boost::asio::any_io_executor>{short_lived->get_executor(),
                                                           loop.ioc.get_executor()},
                 config);
    auto first = talk_on(0);
    std::optional<consumer> reply(std::in_place, first.say("Hello!"), consumer::say_nothing);
    while (reply->chunks().empty()) short_lived->run_one_for(1s);
    auto second = talk_on(1);
    consumer waiting(second.say("And you?"));
    for (int queued = 0; queued == 0;) {
        bots->async_servers([&](error_code, const auto& list) { queued = list.at(0).waiting; });
        short_lived->run_one_for(10ms);
        loop.ioc.poll();
    }
    short_lived.reset();
    loop.run_to_end(waiting);
    EXPECT_EQ(waiting.text(), "I am well, too.");
}

}  // namespace
