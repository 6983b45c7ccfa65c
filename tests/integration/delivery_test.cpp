#include "integration/mock_fixture.hpp"
#include "integration/service_fixture.hpp"

#include <boost/asio/bind_executor.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

// A reply is interrupted after a completion was posted to a busy event loop.
namespace tandem::testing {
namespace {

// The event loop of a voice. The loop runs only in get_free().
struct busy_voice {
    boost::asio::io_context ioc;
    bool was_called = false;
    error_code ec;
    std::optional<chunk> piece;

    void ask(reply& r) {
        r.async_next_chunk(
            boost::asio::bind_executor(ioc, [this](error_code e, std::optional<chunk> c) {
                was_called = true;
                ec = e;
                piece = std::move(c);
            }));
    }
    // Runs both loops, because the voice's loop may have to request the reply's end from the
    // client's loop.
    void get_free(reply_runner& loop) {
        loop.run_until([this] {
            ioc.restart();
            ioc.poll();
            return was_called;
        });
    }
};

class a_delivery : public client_and_mock {
 protected:
    busy_voice voice;
    std::optional<reply> r;

    // Returns when the first chunk has been posted to the voice, but not delivered.
    void hand_over_first_chunk() {
        start();
        r.emplace(llm->start(prompt));
        voice.ask(*r);
        ASSERT_TRUE(server_sees([](const mock::observations& o) {
            return o.of_path("/completion").size() == 1 && !o.slots[0].is_processing;
        }));
        ASSERT_TRUE(server_gets_idle());
    }
    void expect_end() {
        voice.get_free(loop);
        EXPECT_FALSE(voice.piece);
        EXPECT_FALSE(voice.ec);
    }
};

TEST_F(a_delivery, is_that_of_the_chunk_if_nobody_interrupts) {
    hand_over_first_chunk();
    voice.get_free(loop);
    EXPECT_TRUE(voice.piece);
}

TEST_F(a_delivery, is_that_of_the_end_after_an_interrupt) {
    hand_over_first_chunk();
    r->interrupt();
    expect_end();
    EXPECT_EQ(r->result().finish_reason, finish_reason::interrupted);
    EXPECT_NE(r->result().text, "") << "no chunk was on its way";
}

TEST_F(a_delivery, is_that_of_the_end_after_an_interrupt_by_a_control) {
    hand_over_first_chunk();
    r->control().interrupt();
    expect_end();
    EXPECT_EQ(r->result().finish_reason, finish_reason::interrupted);
    EXPECT_NE(r->result().text, "") << "no chunk was on its way";
}

TEST_F(a_delivery, is_that_of_the_end_once_the_handle_is_destroyed) {
    hand_over_first_chunk();
    r.reset();
    expect_end();
}

class a_control : public client_and_mock {};

TEST_F(a_control, continues_its_reply) {
    start();
    consumer c(llm->start(prompt), [](consumer& self, const chunk& piece) {
        self.handle().control().continue_after(piece.id);
    });
    loop.run_to_end(c);
    EXPECT_EQ(c.text(), story);
}

TEST_F(a_control, warns_once_of_a_continue_for_a_chunk_that_was_never_handed_over) {
    start();
    consumer c(llm->start(prompt), [](consumer& self, const chunk& piece) {
        self.handle().control().continue_after({piece.id.reply + 1, piece.id.seq});
        self.handle().control().continue_after({piece.id.reply, piece.id.seq + 1});
        self.go_on(piece);
        self.go_on(piece);
    });
    loop.run_to_end(c);
    EXPECT_EQ(c.text(), story);
    EXPECT_EQ(log.count(log_level::warning, "names no chunk that was handed over"), 1u);
}

TEST_F(a_control, changes_nothing_once_the_handle_is_gone) {
    start();
    reply_control control;
    {
        consumer c(llm->start(prompt));
        control = c.handle().control();
        loop.run_to_end(c);
        c.handle() = llm->start(prompt);
    }
    loop.ioc.poll();
    control.interrupt();
    control.continue_after({1, 0});
    control.heard({1, 0}, 3);
    EXPECT_TRUE(loop.runs_out_of_work());
}

TEST_F(a_control, outlives_client_and_context) {
    server.emplace(server_options);
    config.server.url = server->url();
    reply_control control;
    {
        boost::asio::io_context ioc;
        client short_lived(ioc.get_executor(), config, instruments);
        control = short_lived.start(prompt).control();
    }
    control.interrupt();
}

TEST_F(a_control, of_no_reply_changes_nothing) {
    const reply_control none;
    none.interrupt();
    none.continue_after({1, 0});
    none.heard_share({1, 0}, 0.5);
}

// Interrupts come in bursts. The first interrupt ends a reply. The other interrupts arrive at the
// end of this reply and at the start of the next reply.
TEST_F(a_control, interrupts_from_another_thread_at_any_time) {
    constexpr int times = 20'000;
    constexpr int min_replies = 100;
    start();
    std::atomic<int> interrupts = 0;
    std::atomic<bool> is_over = false;
    reply_control latest;
    std::mutex latest_mutex;
    std::thread runs([&] { loop.ioc.run(); });
    std::thread detector([&] {
        std::minstd_rand random(4711);
        while (!is_over) {
            for (auto turns = random() % 1000; turns > 0; --turns) std::this_thread::yield();
            for (auto more = random() % 400; more > 0; --more, ++interrupts) {
                const std::lock_guard lock(latest_mutex);
                latest.interrupt();
            }
        }
    });
    for (int replies = 0; interrupts < times || replies < min_replies; ++replies) {
        reply r = llm->start(prompt);
        {
            const std::lock_guard lock(latest_mutex);
            latest = r.control();
        }
        while (auto piece = r.async_next_chunk(boost::asio::use_future).get())
            r.continue_after(piece->id);
    }
    is_over = true;
    detector.join();
    loop.ioc.stop();
    runs.join();
}

class a_delivery_of_a_turn : public service_and_mocks {
 protected:
    busy_voice voice;
    std::optional<conversation> talk;
    std::optional<reply> r;

    std::size_t handed_over() { return loop.state_of(*talk).handed_over; }
    // Hands over the first chunk of a reply. If the reply has only one chunk, the reply has ended.
    void hand_over_first_chunk(const std::string& question) {
        start();
        talk.emplace(bots->create());
        r.emplace(talk->say(question));
        voice.ask(*r);
        ASSERT_TRUE(loop.run_until([&] { return handed_over() > 0; }));
    }
    void expect_end() {
        voice.get_free(loop);
        EXPECT_FALSE(voice.piece);
        EXPECT_FALSE(voice.ec);
    }
};

TEST_F(a_delivery_of_a_turn, is_not_in_a_history_that_keeps_what_was_handed_over) {
    config.conversation.interrupted = history_policy::handed_over;
    hand_over_first_chunk("Hello!");
    talk->interrupt();
    expect_end();
    EXPECT_EQ(handed_over(), 0u);
    EXPECT_EQ(message(*talk, -1), "Hello!") << "that of the user";
}

TEST_F(a_delivery_of_a_turn, is_that_of_the_end_after_an_interrupt_of_the_conversation) {
    hand_over_first_chunk("Hello!");
    talk->interrupt();
    expect_end();
}

TEST_F(a_delivery_of_a_turn, is_that_of_the_end_after_the_end_of_the_conversation) {
    hand_over_first_chunk("Hello!");
    talk->end();
    expect_end();
}

TEST_F(a_delivery_of_a_turn, leaves_nothing_in_history_of_a_last_chunk_that_it_withholds) {
    config.client.limits.continue_timeout = 100ms;
    hand_over_first_chunk("And you?");
    ASSERT_TRUE(loop.run_until([&] { return r->ended(); }));
    r->interrupt();
    expect_end();
    EXPECT_EQ(loop.state_of(*talk).history.size(), 1u);
}

TEST_F(a_delivery_of_a_turn, is_that_of_the_chunk_in_the_turn_after_an_interrupt) {
    hand_over_first_chunk("Hello!");
    talk->interrupt();
    expect_end();
    auto next = say(*talk, "And you?");
    EXPECT_FALSE(next.chunks().empty());
}

TEST_F(a_delivery_of_a_turn, reports_what_was_heard_by_its_control) {
    start();
    talk.emplace(bots->create());
    auto c = say_until_first_chunk(*talk, "Hello!");
    ASSERT_FALSE(c.chunks().empty());
    c.handle().control().heard(c.chunks()[0].id, 5);
    c.handle().control().interrupt();
    loop.run_to_end(c);
    EXPECT_EQ(loop.state_of(*talk).heard, std::string_view("Hello.").size());
}

using a_held_conversation = service_and_mocks;

TEST_F(a_held_conversation, leaves_the_loop_no_work_between_its_turns) {
    start();
    auto talk = bots->create();
    say(talk, "Hello!");
    EXPECT_TRUE(loop.runs_out_of_work());
}

}  // namespace
}  // namespace tandem::testing
