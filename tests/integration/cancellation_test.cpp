#include "integration/mock_fixture.hpp"

#include "tandem/read_all.hpp"
#include "tandem/service.hpp"

#include <boost/version.hpp>

// Asio cancels single operations from Boost 1.77 on; with older ones there is nothing to test.
#if BOOST_VERSION >= 107700
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>

namespace tandem::testing {
namespace {

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

TEST_F(cancelling_a_wait_for_a_chunk, and_for_upcoming_speech_ends_only_that_one) {
    start();
    auto reply = llm->start(prompt);
    boost::asio::cancellation_signal stop;
    std::optional<error_code> cancelled;
    reply.async_upcoming_speech(boost::asio::bind_cancellation_slot(
        stop.slot(), [&](error_code ec, const std::string&) { cancelled = ec; }));
    stop.emit(boost::asio::cancellation_type::terminal);
    ASSERT_TRUE(loop.run_until([&] { return cancelled.has_value(); }));
    EXPECT_EQ(*cancelled, boost::asio::error::operation_aborted);

    std::optional<error_code> asked_again;
    reply.async_upcoming_speech([&](error_code ec, const std::string&) { asked_again = ec; });
    const auto first = ask(reply);
    ASSERT_TRUE(loop.run_until([&] { return first->arrived && asked_again; }));
    EXPECT_TRUE(first->piece.has_value());
    EXPECT_FALSE(*asked_again);
}

TEST_F(cancelling_a_wait_for_a_chunk, and_reading_all_interrupts_the_reply) {
    start();
    boost::asio::cancellation_signal stop;
    std::optional<error_code> told;
    async_read_all(llm->start(prompt), boost::asio::bind_cancellation_slot(
                                           stop.slot(), [&](error_code ec, const reply_result& r) {
                                               told = ec;
                                               EXPECT_TRUE(r.text.empty());
                                           }));
    stop.emit(boost::asio::cancellation_type::total);
    ASSERT_TRUE(loop.run_until([&] { return told.has_value(); }));
    EXPECT_EQ(*told, boost::asio::error::operation_aborted);
    EXPECT_TRUE(server_gets_idle());
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
