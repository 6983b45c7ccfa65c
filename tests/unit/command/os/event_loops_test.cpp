#include "os/event_loops.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <thread>

namespace tandem::command {
namespace {

namespace asio = boost::asio;

TEST(event_loops, have_a_thread_each_and_the_first_one_the_callers) {
    event_loops loops(3);
    std::set<std::thread::id> threads;
    // One after the other.
    std::function<void(std::size_t)> visit = [&](std::size_t i) {
        threads.insert(std::this_thread::get_id());
        if (i == 2) return loops.stop();
        asio::post(loops.executors()[i + 1], [&visit, i] { visit(i + 1); });
    };
    const auto work = asio::make_work_guard(loops.first());
    asio::post(loops.first(), [&] { visit(0); });
    loops.run();
    EXPECT_EQ(threads.size(), 3u);
    EXPECT_TRUE(threads.contains(std::this_thread::get_id()));
}

TEST(event_loops, all_end_by_an_exception_in_one) {
    for (const std::size_t which : {0u, 1u}) {
        event_loops loops(2);
        const auto work = asio::make_work_guard(loops.first());
        asio::post(loops.executors()[which], [] { throw std::runtime_error("no memory"); });
        EXPECT_THROW(loops.run(), std::runtime_error);
    }
}

TEST(event_loops, finish_what_they_have_for_each_other) {
    event_loops loops(2);
    asio::post(loops.first(), [&] { loops.stop(); });
    loops.run();
    bool is_done = false;
    asio::post(loops.executors()[1], [&] { asio::post(loops.first(), [&] { is_done = true; }); });
    loops.finish();
    EXPECT_TRUE(is_done);
}

}  // namespace
}  // namespace tandem::command
