#include "loop/strand_poster.hpp"

#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/require.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <gtest/gtest.h>

namespace {

using boost::asio::any_io_executor;
using boost::asio::io_context;
using boost::asio::make_strand;
using tandem::detail::strand_poster;

// Builds the poster from the user's executor in the same way as the library.
strand_poster link_to(const any_io_executor& users) {
    return strand_poster(make_strand(users));
}

class loop_link_test : public ::testing::Test {
 protected:
    void expect_sees_the_stop(const any_io_executor& users) {
        ioc.restart();
        const auto link = link_to(users);
        EXPECT_FALSE(link.is_stopped());
        ioc.stop();
        EXPECT_TRUE(link.is_stopped());
    }

    io_context ioc;
};

TEST_F(loop_link_test, sees_that_an_io_context_was_stopped_behind_any_executor_on_it) {
    const auto plain = ioc.get_executor();
    const auto working =
        boost::asio::require(plain, boost::asio::execution::outstanding_work.tracked);
    expect_sees_the_stop(plain);
    expect_sees_the_stop(working);
    expect_sees_the_stop(make_strand(plain));
    expect_sees_the_stop(make_strand(working));
    expect_sees_the_stop(make_strand(any_io_executor(plain)));
    expect_sees_the_stop(make_strand(any_io_executor(make_strand(plain))));
}

TEST_F(loop_link_test, does_not_know_whether_other_contexts_were_stopped) {
    boost::asio::thread_pool pool(1);
    const auto link = link_to(pool.get_executor());
    pool.stop();
    EXPECT_FALSE(link.is_stopped());
}

TEST_F(loop_link_test, runs_nothing_within_a_post) {
    auto link = link_to(ioc.get_executor());
    int ran = 0;
    boost::asio::post(ioc, [&] {
        EXPECT_TRUE(link.post([&] { ++ran; }));
        EXPECT_EQ(ran, 0) << "it is posted even on the loop's thread";
        link.disconnect();
    });
    ioc.run();
    EXPECT_EQ(ran, 1);
}

TEST_F(loop_link_test, keeps_the_loop_busy_until_it_is_cut) {
    auto link = link_to(ioc.get_executor());
    ioc.poll();
    EXPECT_FALSE(ioc.stopped());
    link.disconnect();
    ioc.poll();
    EXPECT_TRUE(ioc.stopped());
}

TEST_F(loop_link_test, leads_nowhere_once_it_is_cut) {
    auto link = link_to(ioc.get_executor());
    link.disconnect();
    ioc.stop();
    EXPECT_FALSE(link.is_stopped());
    EXPECT_FALSE(link.post([] { FAIL(); }));
    ioc.restart();
    ioc.poll();
}

}  // namespace
