#pragma once

#include "bench/bench_totals.hpp"
#include "bench/bench_workload.hpp"
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

/// The callers of a run. Each caller holds one conversation after another. Runs on one thread.
class bench_callers {
 public:
    /// `settings` are the settings of the service. The referenced objects must outlive this object.
    bench_callers(boost::asio::io_context& ioc, bench_workload& load,
                  const service_config& settings, speech_pace pace)
        : ioc_(ioc), load_(load), settings_(settings), pace_(pace) {}
    bench_callers(const bench_callers&) = delete;
    bench_callers& operator=(const bench_callers&) = delete;

    /// Starts `callers` concurrent callers. Calls `on_done` once no further turn begins.
    void start(service& bots, int callers, std::function<void()> on_done);
    /// Ends the running turns and starts no new ones.
    void stop();

    const bench_totals& totals() const noexcept { return totals_; }

 private:
    using timer = boost::asio::steady_timer;

    boost::asio::awaitable<void> call(service& bots);
    boost::asio::awaitable<bool> hold(service& bots, const dialogue& d, timer& pause);
    boost::asio::awaitable<bool> wait_until(bench_workload::clock::time_point due, timer& pause);
    boost::asio::awaitable<bool> take_turn(const dialogue& d, int turn, conversation& talk,
                                           turn_times& times);
    boost::asio::awaitable<void> speak(paced_reply& running, turn_times& times);
    conversation begin(service& bots, const dialogue& d) const;
    void report_end(const turn_times& times, const reply_result& r, bool was_stopped);
    void caller_ended();

    boost::asio::io_context& ioc_;
    bench_workload& load_;
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
