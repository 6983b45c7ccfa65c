#pragma once

#include "bench/bench_callers.hpp"
#include "bench/bench_command.hpp"
#include "bench/bench_mock.hpp"
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

/// One run of `tandem bench` with all that belongs to it, on the thread that calls run().
class bench_run {
 public:
    /// Precondition: there are dialogues. What is given must outlive this.
    bench_run(const bench_options& options, std::vector<dialogue> dialogues, terminal& t);
    ~bench_run();
    bench_run(const bench_run&) = delete;
    bench_run& operator=(const bench_run&) = delete;

    /// Nothing if no server answers, which is told.
    std::optional<bench_report> run();

 private:
    service_config settings();
    int slots_for_all() const;
    boost::asio::awaitable<bool> find_servers();
    boost::asio::awaitable<void> steer();
    boost::asio::awaitable<void> measure();
    void stop();
    std::string status_line() const;
    bench_report report();
    bench_setting setting() const;
    bench_cost cost() const;

    const bench_options& options_;
    terminal& terminal_;
    boost::asio::io_context ioc_{1};
    std::optional<bench_mock> mock_;
    service_config settings_;
    bench_load load_;
    server_clients servers_;
    stop_signals signals_;
    progress progress_;
    boost::asio::steady_timer done_;
    repeating_timer memory_watch_;
    bench_callers callers_;
    std::optional<service> bots_;
    bool is_started_ = false;
    bool stopping_ = false;
    duration took_{};
    double cpu_seconds_ = 0;
    std::int64_t rss_before_ = 0;
    std::int64_t rss_peak_ = 0;
};

}  // namespace tandem::command
