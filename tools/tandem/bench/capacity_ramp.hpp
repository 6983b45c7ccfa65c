#pragma once

#include "bench/bench_callers.hpp"
#include "bench/bench_command.hpp"
#include "bench/capacity_report.hpp"
#include "bench/capacity_search.hpp"
#include "os/coroutines.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <vector>

namespace tandem::command {

/// Runs the steps of a capacity_search. To be used on one thread.
class capacity_ramp {
 public:
    /// Calls `on_step` after each step. `callers` must outlive this object.
    capacity_ramp(boost::asio::io_context& ioc, bench_callers& callers, capacity_options options,
                  std::function<void(const capacity_step&)> on_step);

    /// Returns once the number of callers is found, or after stop(). Precondition: the callers were
    /// started.
    awaitable<void> run();
    /// Ends the current step and discards it.
    void stop();
    /// Writes the result of the search to `r`.
    void report_to(capacity_report& r) const;

 private:
    awaitable<capacity_step> run_step(int callers);

    bench_callers& callers_;
    const capacity_options options_;
    std::function<void(const capacity_step&)> on_step_;
    boost::asio::steady_timer step_end_;
    bool stopping_ = false;
    bool has_failed_ = false;
    capacity_search search_;
    std::vector<capacity_step> steps_;
};

}  // namespace tandem::command
