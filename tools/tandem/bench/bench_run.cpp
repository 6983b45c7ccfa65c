#include "bench/bench_run.hpp"

#include "os/process_memory.hpp"
#include "terminal/log_output.hpp"
#include "text/shown_url.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace tandem::command {
namespace {

using boost::asio::awaitable;
using boost::asio::redirect_error;
using boost::asio::use_awaitable;

constexpr auto look_interval = std::chrono::milliseconds(50);

double seconds_since(bench_load::clock::time_point t) {
    return std::chrono::duration<double>(bench_load::clock::now() - t).count();
}

// Lines of several threads, written by one.
logger log_on(boost::asio::io_context& ioc, logger to) {
    if (!to.write) return to;
    return {.level = to.level, .write = [&ioc, to](log_level level, std::string_view text) {
                boost::asio::post(ioc,
                                  [to, level, line = std::string(text)] { to.write(level, line); });
            }};
}

}  // namespace

bench_run::bench_run(const bench_options& options, std::vector<dialogue> dialogues, terminal& t)
    : options_(options),
      terminal_(t),
      settings_(settings()),
      load_(options.load, std::move(dialogues)),
      servers_(ioc_.get_executor(), settings_),
      signals_(ioc_, [this] { stop(); }),
      progress_(ioc_, t, [this] { return status_line(); }),
      loops_done_(ioc_, boost::asio::steady_timer::time_point::max()),
      next_look_(ioc_) {
    t.on_failure([this] { stop(); });
}

bench_run::~bench_run() {
    terminal_.on_failure({});
}

service_config bench_run::settings() {
    auto s = options_.service;
    if (options_.mock) {
        mock_.emplace(slots_for_all(), options_.mock_tokens_per_second);
        s.servers = mock_->urls();
        s.server.url = s.servers.front();
        s.server.proxy = "none";
    }
    s.server.logger =
        log_on(ioc_, log_to_terminal(terminal_, options_.log_level.value_or(log_level::off)));
    return s;
}

// What slots_per_conversation takes where it is 0.
int bench_run::slots_for_all() const {
    const auto& s = options_.service;
    if (const int slots = s.server.slots.value_or(0); slots > 0) return slots;
    const bool has_guard = s.server.reuse_guard.value_or(duration{}) > duration{};
    const int usual = has_guard ? 2 : 1;
    return options_.concurrency * std::max(s.slots_per_conversation, usual);
}

std::optional<bench_report> bench_run::run() {
    progress_.start();
    co_spawn(ioc_, steer(), [this](std::exception_ptr e) {
        if (e) std::rethrow_exception(e);
        signals_.cancel();
        progress_.stop();
    });
    ioc_.run();
    if (!is_started_) return std::nullopt;
    return report();
}

awaitable<void> bench_run::steer() {
    const bool found = co_await find_servers();
    if (!found || stopping_) co_return;
    start_loops();
    co_await wait_for_loops();
    took_ = bench_load::clock::now() - load_.started();
    next_look_.cancel();
    bots_.reset();
    for (auto& l : loops_) l.finish();
}

awaitable<bool> bench_run::find_servers() {
    co_await servers_.ask(options_.wait);
    for (const auto& s : servers_.all())
        if (!s.answers && !stopping_)
            terminal_.print_error(
                fmt::format("tandem bench: {}: {}", s.url, s.diagnostics.to_string()));
    settings_.servers = servers_.that_may_serve();
    const bool found = servers_.answering() > 0;
    servers_.close();
    co_return found;
}

void bench_run::start_loops() {
    std::vector<boost::asio::any_io_executor> executors;
    for (std::size_t i = 0; i < static_cast<std::size_t>(options_.loops); ++i)
        executors.push_back(loops_.emplace_back(i, load_, settings_, options_.pace).executor());
    bots_.emplace(std::move(executors), settings_);
    is_started_ = true;
    loops_running_ = loops_.size();
    rss_before_ = rss_peak_ = resident_bytes();
    load_.start();
    watch_memory();
    for (std::size_t i = 0; i < loops_.size(); ++i)
        loops_[i].start(*bots_, share_of(i),
                        [this] { boost::asio::post(ioc_, [this] { loop_ended(); }); });
}

// Conversations of this loop, where the first ones take what is over.
int bench_run::share_of(std::size_t loop) const {
    const auto each = options_.concurrency / options_.loops;
    return each + (static_cast<int>(loop) < options_.concurrency % options_.loops ? 1 : 0);
}

void bench_run::loop_ended() {
    if (--loops_running_ == 0) loops_done_.cancel();
}

awaitable<void> bench_run::wait_for_loops() {
    error_code ec;
    co_await loops_done_.async_wait(redirect_error(use_awaitable, ec));
}

void bench_run::watch_memory() {
    rss_peak_ = std::max(rss_peak_, resident_bytes());
    next_look_.expires_after(look_interval);
    next_look_.async_wait([this](const error_code& ec) {
        if (!ec) watch_memory();
    });
}

void bench_run::stop() {
    stopping_ = true;
    for (auto& l : loops_) l.stop();
    // Before there are loops, only the first questions wait for an answer.
    servers_.close();
}

std::string bench_run::status_line() const {
    if (!is_started_) return "asking the servers";
    auto text = fmt::format("{:.1f} s, {} replies, {} running", seconds_since(load_.started()),
                            load_.ended(), load_.streams());
    if (const auto failed = load_.failed(); failed > 0) text += fmt::format(", {} failed", failed);
    return text;
}

bench_report bench_run::report() {
    bench_totals totals;
    for (const auto& l : loops_) totals.add(l.totals());
    if (mock_) totals.match(mock_->cuts());
    return {.setting = setting(),
            .figures = totals.figures(),
            .cost = cost(),
            .missed = load_.missed(took_),
            .was_stopped = stopping_};
}

bench_setting bench_run::setting() const {
    bench_setting s;
    for (const auto& url : settings_.servers) s.servers.push_back(shown_url(url));
    s.mock_slots = mock_ ? mock_->slots() : 0;
    s.mock_tokens_per_second = mock_ ? options_.mock_tokens_per_second : 0;
    s.concurrency = options_.concurrency;
    s.loops = options_.loops;
    s.rate = options_.load.rate.value_or(0);
    s.is_even = options_.load.spread == arrivals::even;
    s.words_per_minute = options_.pace.words_per_minute;
    s.pacing = to_string(settings_.server.pacing);
    s.slots = settings_.server.slots.value_or(0);
    s.reuse_guard = field_text(settings_.server, "reuse_guard");
    return s;
}

bench_cost bench_run::cost() const {
    bench_cost c;
    c.seconds = to_ms(took_) / 1000;
    for (const auto& l : loops_) c.loop_cpu_seconds += l.cpu_seconds();
    c.rss_before = rss_before_;
    c.rss_peak = rss_peak_;
    c.peak_streams = load_.peak_streams();
    c.measuring_bytes = loops_.size() * bench_totals::bytes();
    return c;
}

}  // namespace tandem::command
