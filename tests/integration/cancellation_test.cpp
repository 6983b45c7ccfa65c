#include "integration/mock_fixture.hpp"

#include "tandem/read_all.hpp"
#include "tandem/service.hpp"
#include "tandem/with_diagnostics.hpp"

#include <boost/version.hpp>

// Cancelling a single operation requires Boost 1.77. With older versions, there is nothing to test.
#if BOOST_VERSION >= 107700
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>

namespace tandem::testing {
namespace {

/// The code of an error that with_diagnostics() reports.
error_code code_of(const std::exception_ptr& error) {
    try {
        if (error) std::rethrow_exception(error);
        return {};
    } catch (const error_with_diagnostics& e) {
        return e.code();
    }
}

class cancelling_a_wait_for_a_chunk : public client_and_mock {
 protected:
    struct answer {
        bool arrived = false;
        error_code error;
        std::optional<chunk> piece;
    };

    std::shared_ptr<answer> ask(reply& r, boost::asio::cancellation_signal* by = nullptr) {
        auto got = std::make_shared<answer>();
        auto handler = [got](error_code ec, std::optional<chunk> piece) {
            *got = {true, ec, std::move(piece)};
        };
        if (by)
            r.async_next_chunk(boost::asio::bind_cancellation_slot(by->slot(), handler));
        else
            r.async_next_chunk(handler);
        return got;
    }
};

TEST_F(cancelling_a_wait_for_a_chunk, ends_it_and_loses_no_chunk) {
    start();
    auto reply = llm->start(prompt);
    boost::asio::cancellation_signal stop;
    const auto cancelled = ask(reply, &stop);
    stop.emit(boost::asio::cancellation_type::total);
    ASSERT_TRUE(loop.run_until([&] { return cancelled->arrived; }));
    EXPECT_EQ(cancelled->error, boost::asio::error::operation_aborted);

    const auto asked_again = ask(reply);
    ASSERT_TRUE(loop.run_until([&] { return asked_again->arrived; }));
    ASSERT_TRUE(asked_again->piece.has_value());
    EXPECT_EQ(std::string(story).rfind(asked_again->piece->text, 0), 0u);
    EXPECT_EQ(asked_again->piece->id.seq, 0u);
}

TEST_F(cancelling_a_wait_for_a_chunk, changes_nothing_once_the_chunk_came) {
    start();
    auto reply = llm->start(prompt);
    boost::asio::cancellation_signal stop;
    const auto first = ask(reply, &stop);
    ASSERT_TRUE(loop.run_until([&] { return first->arrived; }));
    reply.continue_after(first->piece->id);
    const auto second = ask(reply);
    stop.emit(boost::asio::cancellation_type::total);
    ASSERT_TRUE(loop.run_until([&] { return second->arrived; }));
    EXPECT_FALSE(second->error);
    EXPECT_TRUE(second->piece.has_value());
}

TEST_F(cancelling_a_wait_for_a_chunk, that_has_diagnostics_ends_it_with_an_exception) {
    start();
    auto reply = llm->start(prompt);
    boost::asio::cancellation_signal stop;
    std::optional<error_code> cancelled;
    reply.async_next_chunk(with_diagnostics(boost::asio::bind_cancellation_slot(
        stop.slot(), [&](const std::exception_ptr& error, const std::optional<chunk>& piece) {
            cancelled = code_of(error);
            EXPECT_FALSE(piece.has_value());
        })));
    stop.emit(boost::asio::cancellation_type::total);
    ASSERT_TRUE(loop.run_until([&] { return cancelled.has_value(); }));
    EXPECT_EQ(*cancelled, boost::asio::error::operation_aborted);
}

// If a thread begins a wait outside the strand, a later cancellation on the strand may overtake it.
TEST_F(cancelling_a_wait_for_a_chunk, ends_each_of_two_that_their_cancellations_overtake) {
    start();
    auto reply = llm->start(prompt);
    boost::asio::cancellation_signal stop_first;
    boost::asio::cancellation_signal stop_second;
    boost::asio::post(reply.get_executor(), [&] {
        stop_first.emit(boost::asio::cancellation_type::total);
        stop_second.emit(boost::asio::cancellation_type::total);
    });
    const auto first = ask(reply, &stop_first);
    const auto second = ask(reply, &stop_second);
    ASSERT_TRUE(loop.run_until([&] { return first->arrived && second->arrived; }));
    EXPECT_EQ(first->error, boost::asio::error::operation_aborted);
    EXPECT_EQ(second->error, boost::asio::error::operation_aborted);
}

class cancelling_one_of_two_waits : public cancelling_a_wait_for_a_chunk {
 protected:
    /// Waits for the second chunk and for its speech. Neither arrives before the first chunk is
    /// continued.
    void begin_both(boost::asio::cancellation_signal* of_chunk,
                    boost::asio::cancellation_signal* of_speech) {
        start();
        source.emplace(llm->start(prompt));
        const auto first = ask(*source);
        ASSERT_TRUE(loop.run_until([&] { return first->arrived; }));
        first_chunk = first->piece->id;
        second = ask(*source, of_chunk);
        const auto handler = [this](error_code ec, const std::string&) { speech_error = ec; };
        if (of_speech)
            source->async_upcoming_speech(
                boost::asio::bind_cancellation_slot(of_speech->slot(), handler));
        else
            source->async_upcoming_speech(handler);
    }

    boost::asio::cancellation_signal stop;
    std::optional<reply> source;
    chunk_id first_chunk;
    std::shared_ptr<answer> second;
    std::optional<error_code> speech_error;
};

TEST_F(cancelling_one_of_two_waits, ends_only_that_for_upcoming_speech) {
    begin_both(nullptr, &stop);
    stop.emit(boost::asio::cancellation_type::terminal);
    ASSERT_TRUE(loop.run_until([&] { return speech_error.has_value(); }));
    EXPECT_EQ(*speech_error, boost::asio::error::operation_aborted);
    EXPECT_FALSE(second->arrived);

    source->continue_after(first_chunk);
    ASSERT_TRUE(loop.run_until([&] { return second->arrived; }));
    EXPECT_FALSE(second->error);
    EXPECT_TRUE(second->piece.has_value());
}

TEST_F(cancelling_one_of_two_waits, ends_only_that_for_the_chunk) {
    begin_both(&stop, nullptr);
    stop.emit(boost::asio::cancellation_type::terminal);
    ASSERT_TRUE(loop.run_until([&] { return second->arrived; }));
    EXPECT_EQ(second->error, boost::asio::error::operation_aborted);
    EXPECT_FALSE(speech_error.has_value());

    source->interrupt();
    ASSERT_TRUE(loop.run_until([&] { return speech_error.has_value(); }));
    EXPECT_FALSE(*speech_error);
}

TEST_F(cancelling_one_of_two_waits, lets_upcoming_speech_be_asked_for_again) {
    begin_both(nullptr, &stop);
    stop.emit(boost::asio::cancellation_type::total);
    ASSERT_TRUE(loop.run_until([&] { return speech_error.has_value(); }));
    std::optional<error_code> asked_again;
    source->async_upcoming_speech([&](error_code ec, const std::string&) { asked_again = ec; });
    source->continue_after(first_chunk);
    ASSERT_TRUE(loop.run_until([&] { return asked_again.has_value(); }));
    EXPECT_FALSE(*asked_again);
}

class cancelling_the_reading_of_all : public client_and_mock {
 protected:
    /// Starts to read a reply. `stop` can cancel the reading.
    void read_all(const boost::asio::any_io_executor& runs_handlers) {
        async_read_all(llm->start(prompt),
                       boost::asio::bind_cancellation_slot(
                           stop.slot(), boost::asio::bind_executor(
                                            runs_handlers, [this](error_code ec, reply_result r) {
                                                error = ec;
                                                text = std::move(r.text);
                                            })));
    }
    void expect_cancelled() {
        ASSERT_TRUE(loop.run_until([&] { return error.has_value(); }));
        EXPECT_EQ(*error, boost::asio::error::operation_aborted);
        EXPECT_EQ(text, "");
        EXPECT_TRUE(server_gets_idle());
    }

    boost::asio::cancellation_signal stop;
    std::optional<error_code> error;
    std::string text;
};

TEST_F(cancelling_the_reading_of_all, interrupts_the_reply_before_anything_came) {
    start();
    read_all(llm->get_executor());
    stop.emit(boost::asio::cancellation_type::terminal);
    expect_cancelled();
}

// The reading continues the reply after its first chunk, so the client sends a second request.
TEST_F(cancelling_the_reading_of_all, interrupts_the_reply_after_chunks_came) {
    start_with({.kind = mock::fault_kind::slow_headers, .duration = 60s, .skip = 1});
    read_all(llm->get_executor());
    ASSERT_TRUE(server_sees([](const auto& o) { return o.of_path("/completion").size() == 2; }));
    stop.emit(boost::asio::cancellation_type::terminal);
    expect_cancelled();
}

// While the completion that carries a chunk waits for its executor, there is no pending wait that
// the signal could cancel.
TEST_F(cancelling_the_reading_of_all, interrupts_the_reply_while_a_chunk_is_on_its_way) {
    start();
    boost::asio::io_context busy;
    read_all(busy.get_executor());
    ASSERT_TRUE(server_sees([](const auto& o) {
        return !o.of_path("/completion").empty() && o.open_connections == 0;
    }));
    stop.emit(boost::asio::cancellation_type::terminal);
    EXPECT_EQ(busy.poll(), 1u) << "the chunk was on its way";
    expect_cancelled();
}

class cancelling_a_call : public client_and_mock {
 protected:
    void start_without_answer_to(const std::string& path) {
        start_with({.kind = mock::fault_kind::slow_headers, .duration = 60s, .path = path});
    }
    // Stores the result of the call. `stop` can cancel the call.
    auto handler() {
        return boost::asio::bind_cancellation_slot(stop.slot(), [this](error_code ec, auto...) {
            ++told;
            error = ec;
        });
    }
    void expect_cancelled() {
        stop.emit(boost::asio::cancellation_type::total);
        ASSERT_TRUE(loop.run_until([&] { return told > 0; }));
        EXPECT_EQ(error, boost::asio::error::operation_aborted);
    }

    boost::asio::cancellation_signal stop;
    int told = 0;
    error_code error;
};

TEST_F(cancelling_a_call, ends_it_and_cuts_its_request) {
    start_without_answer_to("/slots");
    llm->async_slots(handler());
    ASSERT_TRUE(server_sees([](const auto& o) { return !o.of_path("/slots").empty(); }));
    expect_cancelled();
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
    EXPECT_EQ(told, 1);
}

TEST_F(cancelling_a_call, ends_it_before_anything_is_sent) {
    start();
    llm->async_tokenize("Zanzibar", handler());
    expect_cancelled();
    EXPECT_TRUE(server_gets_idle());
    EXPECT_EQ(told, 1);
}

TEST_F(cancelling_a_call, of_a_coroutine_throws_there) {
    start_without_answer_to("/slots");
    boost::asio::co_spawn(
        loop.ioc,
        [this]() -> boost::asio::awaitable<void> {
            co_await llm->async_slots(with_diagnostics(boost::asio::use_awaitable));
        },
        boost::asio::bind_cancellation_slot(stop.slot(), [this](const std::exception_ptr& e) {
            ++told;
            error = code_of(e);
        }));
    ASSERT_TRUE(server_sees([](const auto& o) { return !o.of_path("/slots").empty(); }));
    stop.emit(boost::asio::cancellation_type::terminal);
    ASSERT_TRUE(loop.run_until([&] { return told > 0; }));
    EXPECT_EQ(error, boost::asio::error::operation_aborted);
}

TEST_F(cancelling_a_call, that_prepares_stops_no_reply) {
    start_with({.kind = mock::fault_kind::slow_headers, .duration = 100ms, .path = "/props"});
    llm->async_prepare(handler());
    consumer c(llm->start(prompt));
    ASSERT_TRUE(server_sees([](const auto& o) { return !o.of_path("/props").empty(); }));
    expect_cancelled();
    ASSERT_TRUE(loop.run_to_end(c));
    EXPECT_EQ(c.text(), story);
    EXPECT_EQ(told, 1);
}

TEST_F(cancelling_a_call, changes_nothing_once_the_answer_came) {
    start();
    llm->async_health(handler());
    ASSERT_TRUE(loop.run_until([&] { return told > 0; }));
    stop.emit(boost::asio::cancellation_type::total);
    loop.ioc.poll();
    EXPECT_FALSE(error);
    EXPECT_EQ(told, 1);
}

TEST(a_cancellation_signal, may_outlive_the_context_of_a_conversation_that_it_cancels) {
    boost::asio::cancellation_signal stop;
    bool is_told = false;
    {
        boost::asio::io_context ioc;
        service bots(ioc.get_executor(), {});
        auto talk = bots.create();
        talk.async_state(boost::asio::bind_cancellation_slot(
            stop.slot(), [&](error_code, const conversation_state&) { is_told = true; }));
    }
    stop.emit(boost::asio::cancellation_type::total);
    EXPECT_FALSE(is_told);
}

}  // namespace
}  // namespace tandem::testing
#endif
