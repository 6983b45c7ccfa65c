#include "bench/bench_run.hpp"

#include "base/format_count.hpp"
#include "bench/bench_json.hpp"
#include "bench/bench_text.hpp"
#include "run/replay_text.hpp"
#include "terminal/log_output.hpp"
#include "text/url_text.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr auto look_interval = std::chrono::milliseconds(50);

double seconds_since(bench_workload::clock::time_point t) {
    return std::chrono::duration<double>(bench_workload::clock::now() - t).count();
}

// Processor time. The threads of a mock server are not included.
double cpu_seconds_of_this_thread() {
    timespec t{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}

// Resident memory (RSS) of this process; 0 if unavailable.
std::int64_t resident_bytes() {
    std::ifstream statm("/proc/self/statm");
    std::int64_t size = 0;
    std::int64_t resident = 0;
    return statm >> size >> resident ? resident * ::sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace

bench_run::bench_run(const bench_options& options, std::vector<dialogue> dialogues, terminal& t)
    : options_(options),
      terminal_(t),
      settings_(settings()),
      instruments_{.log = log_to_terminal(terminal_, options_.log_level.value_or(log_level::off))},
      load_(options.load, std::move(dialogues)),
      servers_(ioc_.get_executor(), settings_, instruments_),
      signals_(ioc_, [this] { stop(); }),
      progress_(ioc_, t, [this] { return status_line(); }),
      done_(ioc_, boost::asio::steady_timer::time_point::max()),
      memory_watch_(ioc_, look_interval,
                    [this] { rss_peak_ = std::max(rss_peak_, resident_bytes()); }),
      callers_(ioc_, load_, settings_, options.pace, options.users) {
    if (options.capacity)
        ramp_.emplace(ioc_, callers_, *options.capacity,
                      [this](const capacity_step& s) { print_step(s); });
    t.on_failure([this] { stop(); });
}

service_config bench_run::settings() {
    auto s = options_.service;
    if (options_.mock) {
        mock_.emplace(slots_for_all(), options_.mock_tokens_per_second);
        s.servers = mock_->urls();
        s.client.server.url = s.servers.front();
        s.client.server.proxy = "none";
    }
    return s;
}

// With a reuse guard, a second slot per caller saves the wait for the guard. A capacity search
// measures the given number of slots, so it must not add any.
int bench_run::slots_for_all() const {
    const auto& s = options_.service.client.server;
    if (const int slots = s.slots.value_or(0); slots > 0) return slots;
    const bool has_guard = s.reuse_guard.value_or(duration{}) > duration{};
    return options_.concurrency * (has_guard && !options_.capacity ? 2 : 1);
}

std::optional<bench_report> bench_run::run() {
    run_loop();
    if (!is_started_) return std::nullopt;
    return report();
}

std::optional<capacity_report> bench_run::find_capacity() {
    run_loop();
    if (!is_started_) return std::nullopt;
    return capacity();
}

void bench_run::run_loop() {
    progress_.start();
    start_coroutine(ioc_.get_executor(), control_run(), [this] {
        signals_.cancel();
        progress_.stop();
    });
    ioc_.run();
}

awaitable<void> bench_run::control_run() {
    const bool found = co_await find_servers();
    if (found && !stopping_) bots_.emplace(ioc_.get_executor(), settings_, instruments_);
    // Clients and service share a table for each server, which remembers the warnings it has
    // logged. Closes the clients only now, so that the tables survive.
    servers_.close();
    if (!bots_) co_return;
    is_started_ = true;
    if (ramp_)
        co_await run_steps();
    else
        co_await measure();
    bots_.reset();
}

awaitable<bool> bench_run::find_servers() {
    co_await servers_.fetch_props(options_.wait);
    if (!stopping_)
        for (const auto& e : servers_.faults())
            terminal_.print_error("tandem bench: " + format_server_fault(e));
    settings_.servers = servers_.usable_server_urls();
    co_return servers_.count_answering() > 0;
}

awaitable<void> bench_run::measure() {
    rss_before_ = rss_peak_ = resident_bytes();
    memory_watch_.start();
    const auto cpu_seconds_before = cpu_seconds_of_this_thread();
    load_.start();
    callers_.start(*bots_, options_.concurrency, [this] { done_.cancel(); });
    co_await wait_for_timer(done_);
    took_ = bench_workload::clock::now() - load_.started();
    cpu_seconds_ = cpu_seconds_of_this_thread() - cpu_seconds_before;
    memory_watch_.stop();
}

awaitable<void> bench_run::run_steps() {
    if (!options_.json) terminal_.print(format_capacity_head(capacity(), has_color()));
    load_.start();
    callers_.start(*bots_, 0, [this] { done_.cancel(); });
    co_await ramp_->run();
    callers_.stop();
    if (!callers_.have_ended()) co_await wait_for_timer(done_);
}

void bench_run::print_step(const capacity_step& s) {
    const auto& limits = options_.capacity->limits;
    terminal_.print(options_.json ? capacity_step_json(s, limits)
                                  : format_capacity_step(s, limits, has_color()));
}

void bench_run::stop() {
    stopping_ = true;
    if (ramp_) ramp_->stop();
    callers_.stop();
    // Cancels the initial requests to the servers, which may be pending before the callers start.
    servers_.close();
}

std::string bench_run::status_line() const {
    if (!is_started_) return "querying the servers";
    auto text = fmt::format("{:.1f} s, {}, {} running", seconds_since(load_.started()),
                            format_count(load_.ended(), "reply"), load_.streams());
    if (const auto failed = load_.failed(); failed > 0) text += fmt::format(", {} failed", failed);
    return text;
}

bench_report bench_run::report() {
    auto totals = callers_.totals();
    if (mock_) totals.add_cut_latencies(mock_->cuts());
    return {.setting = setting(),
            .figures = totals.figures(),
            .cost = cost(),
            .missed = load_.count_missed(took_),
            .was_stopped = stopping_};
}

capacity_report bench_run::capacity() const {
    capacity_report r{
        .setting = setting(), .figures = callers_.totals().figures(), .was_stopped = stopping_};
    ramp_->report_to(r);
    return r;
}

bench_setup bench_run::setting() const {
    bench_setup s;
    for (const auto& url : settings_.servers) s.servers.push_back(redact_url(url));
    s.mock_slots = mock_ ? mock_->slots() : 0;
    s.mock_tokens_per_second = mock_ ? options_.mock_tokens_per_second : 0;
    s.concurrency = options_.concurrency;
    s.rate = options_.load.rate.value_or(0);
    s.is_even = options_.load.spread == arrival_distribution::even;
    s.words_per_minute = options_.pace.words_per_minute;
    s.users = options_.users;
    s.pacing = to_string(settings_.client.pacing.mode.value_or(pacing::automatic));
    s.slots = settings_.client.server.slots.value_or(0);
    s.reuse_guard = field_text(settings_.client, "reuse_guard");
    return s;
}

bench_resource_usage bench_run::cost() const {
    bench_resource_usage c;
    c.seconds = to_ms(took_) / 1000;
    c.loop_cpu_seconds = cpu_seconds_;
    c.rss_before = rss_before_;
    c.rss_peak = rss_peak_;
    c.peak_streams = load_.peak_streams();
    c.measuring_bytes = bench_totals::max_memory_bytes();
    return c;
}

}  // namespace tandem::command
