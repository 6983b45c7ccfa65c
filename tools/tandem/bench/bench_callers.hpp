#pragma once

#include "bench/bench_load.hpp"
#include "bench/bench_totals.hpp"
#include "run/paced_reply.hpp"

#include "tandem/service.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <set>

namespace tandem::command {

/// The callers of a run, each of whom holds one conversation after the other. On one thread.
class bench_callers {
 public:
    /// `settings` are the service's. The references must outlive this.
    bench_callers(boost::asio::io_context& ioc, bench_load& load, const service_config& settings,
                  speech_pace pace)
        : ioc_(ioc), load_(load), settings_(settings), pace_(pace) {}
    bench_callers(const bench_callers&) = delete;
    bench_callers& operator=(const bench_callers&) = delete;

    /// So many call at once, until no further turn begins. `on_done` is called then.
    void start(service& bots, int callers, std::function<void()> on_done);
    /// Ends the turns that run, and begins no more.
    void stop();

    const bench_totals& totals() const noexcept { return totals_; }

 private:
    using timer = boost::asio::steady_timer;

    boost::asio::awaitable<void> call(service& bots);
    boost::asio::awaitable<bool> hold(service& bots, const dialogue& d, timer& pause);
    boost::asio::awaitable<bool> wait_until(bench_load::clock::time_point due, timer& pause);
    boost::asio::awaitable<bool> take_turn(const dialogue& d, int turn, conversation& talk,
                                           turn_times& times);
    boost::asio::awaitable<void> speak(paced_reply& running, turn_times& times);
    conversation begin(service& bots, const dialogue& d) const;
    void tell_end(const turn_times& times, const reply_result& r, bool was_stopped);
    void caller_ended();

    boost::asio::io_context& ioc_;
    bench_load& load_;
    const service_config& settings_;
    const speech_pace pace_;
    bool stopping_ = false;
    int calling_ = 0;
    std::set<timer*> pauses_;
    std::set<std::shared_ptr<paced_reply>> running_;
    std::function<void()> on_done_;
    bench_totals totals_;
};

}  // namespace tandem::command
