#include "integration/mock_fixture.hpp"

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

}  // namespace
}  // namespace tandem::testing
#endif
