#pragma once

#include "bench/bench_load.hpp"
#include "bench/bench_totals.hpp"
#include "run/paced_reply.hpp"

#include "tandem/service.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <thread>

namespace tandem::command {

/// One event loop of a run on a thread of its own, and the conversations that are held there.
class bench_loop {
 public:
    /// `place` is that in the service's list of loops. `settings` are the service's. Both
    /// references must outlive this.
    bench_loop(std::size_t place, bench_load& load, const service_config& settings,
               speech_pace pace);
    /// As finish().
    ~bench_loop();
    bench_loop(const bench_loop&) = delete;
    bench_loop& operator=(const bench_loop&) = delete;

    boost::asio::any_io_executor executor() noexcept { return ioc_.get_executor(); }

    /// Holds so many conversations at once, until no further turn begins. `on_done` is called on
    /// the loop's thread then.
    void start(service& bots, int conversations, std::function<void()> on_done);
    /// Ends the turns that run, and begins no more. From any thread.
    void stop();
    /// Lets the thread end once all its work is done, and waits for it.
    void finish();

    // Once on_done was called.
    const bench_totals& totals() const noexcept { return totals_; }
    double cpu_seconds() const noexcept { return cpu_seconds_; }

 private:
    using timer = boost::asio::steady_timer;

    boost::asio::awaitable<void> work(service& bots);
    boost::asio::awaitable<bool> hold(service& bots, const dialogue& d, timer& pause);
    boost::asio::awaitable<bool> wait_until(bench_load::clock::time_point due, timer& pause);
    boost::asio::awaitable<bool> take_turn(const dialogue& d, int turn, conversation& talk,
                                           turn_times& times);
    boost::asio::awaitable<void> speak(paced_reply& running, turn_times& times);
    conversation begin(service& bots, const dialogue& d) const;
    void tell_end(const turn_times& times, const reply_result& r, bool was_stopped);
    void worker_ended();

    const std::size_t place_;
    bench_load& load_;
    const service_config& settings_;
    const speech_pace pace_;
    boost::asio::io_context ioc_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    std::thread thread_;

    // The thread's own.
    bool stopping_ = false;
    int workers_ = 0;
    std::set<timer*> pauses_;
    std::set<std::shared_ptr<paced_reply>> running_;
    std::function<void()> on_done_;
    bench_totals totals_;
    double cpu_seconds_ = 0;
};

}  // namespace tandem::command
