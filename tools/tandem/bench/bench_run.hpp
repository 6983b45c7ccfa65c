#pragma once

#include "bench/bench_callers.hpp"
#include "bench/bench_command.hpp"
#include "bench/bench_mock.hpp"
#include "bench/capacity_ramp.hpp"
#include "os/coroutines.hpp"
#include "os/stop_signals.hpp"
#include "run/progress.hpp"
#include "run/repeating_timer.hpp"
#include "run/server_clients.hpp"
#include "terminal/terminal.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// One run of `tandem bench`, on the thread that calls run().
class bench_run {
 public:
    /// Precondition: `dialogues` is not empty. `options` and `t` must outlive this object.
    bench_run(const bench_options& options, std::vector<dialogue> dialogues, terminal& t);
    ~bench_run() { terminal_.on_failure({}); }

    /// If no server answers, reports the reasons and returns nothing.
    std::optional<bench_report> run();
    /// Like run(), but searches as `options.capacity` specifies, and prints each step when it ends.
    std::optional<capacity_report> find_capacity();

 private:
    service_config settings();
    int slots_for_all() const;
    awaitable<bool> find_servers();
    awaitable<void> control_run();
    void run_loop();
    awaitable<void> measure();
    awaitable<void> run_steps();
    void print_step(const capacity_step& s);
    bool has_color() const { return is_color_enabled(options_.color, terminal_); }
    capacity_report capacity() const;
    void stop();
    std::string status_line() const;
    bench_report report();
    bench_setup setting() const;
    bench_resource_usage cost() const;

    const bench_options& options_;
    terminal& terminal_;
    boost::asio::io_context ioc_{1};
    std::optional<bench_mock> mock_;
    service_config settings_;
    instruments instruments_;
    bench_workload load_;
    server_clients servers_;
    stop_signals signals_;
    progress progress_;
    boost::asio::steady_timer done_;
    repeating_timer memory_watch_;
    bench_callers callers_;
    std::optional<capacity_ramp> ramp_;
    std::optional<service> bots_;
    bool is_started_ = false;
    bool stopping_ = false;
    duration took_{};
    double cpu_seconds_ = 0;
    std::int64_t rss_before_ = 0;
    std::int64_t rss_peak_ = 0;
};

}  // namespace tandem::command
