#include "run/repeating_timer.hpp"

#include <gtest/gtest.h>

namespace tandem::command {
namespace {

using boost::asio::steady_timer;
using std::chrono::milliseconds;

TEST(repeating_timer, calls_at_once_and_again_until_it_is_stopped) {
    boost::asio::io_context loop;
    int calls = 0;
    repeating_timer t(loop, milliseconds(0), [&] {
        if (++calls == 3) t.stop();
    });
    t.start();
    EXPECT_EQ(calls, 1);
    loop.run();
    EXPECT_EQ(calls, 3);
}

TEST(repeating_timer, lets_the_loop_end_if_it_is_stopped_while_its_next_call_is_queued) {
    boost::asio::io_context loop;
    int calls = 0;
    repeating_timer t(loop, milliseconds(0), [&] { ++calls; });
    // Both timers have expired when the loop checks them. The handler of `earlier` runs first.
    steady_timer earlier(loop, steady_timer::time_point::min());
    earlier.async_wait([&](const boost::system::error_code&) { t.stop(); });
    t.start();
    loop.poll();
    EXPECT_TRUE(loop.stopped());
    EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace tandem::command
