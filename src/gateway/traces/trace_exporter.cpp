#include "gateway/traces/trace_exporter.hpp"

#include "base/format_count.hpp"
#include "gateway/traces/otlp_json.hpp"
#include "gateway/traces/turn_spans.hpp"
#include "wire/stream/sanitize_server_text.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <exception>
#include <thread>
#include <utility>

namespace tandem::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t max_answer_bytes = 4096;

std::mt19937_64 make_generator() {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device(), device(), device()};
    return std::mt19937_64(seed);
}

}  // namespace

/// Everything but add() and the destructor runs on the worker's own thread.
class trace_exporter::worker final : private transport::exchange_handler {
 public:
    worker(transport::curl_options where, callbacks handlers, export_limits limits)
        : callbacks_(std::move(handlers)),
          limits_(limits),
          timer_(loop_),
          close_timer_(loop_),
          transport_(transport::make_curl_transport(loop_.get_executor(), std::move(where))),
          thread_([this] { run(); }) {}

    ~worker() {
        asio::post(loop_, [this] { close(); });
        thread_.join();
        const auto lost = batch_.turns + queue_.size();
        if (lost > 0)
            log(log_level::warning,
                fmt::format("the traces of {} are lost",
                            format_count(static_cast<std::int64_t>(lost), "turn")));
        report_dropped(lost);
    }

    void add(traced_turn turn) {
        const auto bytes = estimate_bytes(turn);
        if (queue_bytes_.fetch_add(bytes) + bytes <= limits_.queue_bytes)
            return asio::post(loop_, [this, queued = std::move(turn)]() mutable {
                queue_.push_back(std::move(queued));
                if (state_ == state::idle) begin_next_batch();
            });
        queue_bytes_ -= bytes;
        report_dropped(1);
        if (!has_overflowed_.exchange(true))
            log(log_level::warning, "traces are dropped: the collector takes them too slowly");
    }

 private:
    enum class state { idle, gathering, sending, pausing };
    struct batch {
        std::string body{};
        std::size_t turns = 0;
        int attempts = 0;
    };

    void run() {
        for (;;) try {
                loop_.run();
                return;
            } catch (const std::exception& e) {
                log(log_level::error, fmt::format("traces are dropped: {}", e.what()));
                drop_batch();
                asio::post(loop_, [this] { begin_next_batch(); });
            }
    }

    /// Sends the next batch, if any turns wait.
    void begin_next_batch() {
        state_ = state::idle;
        const auto waiting = queue_.size();
        if (waiting == 0) {
            if (is_closing_) loop_.stop();
            return;
        }
        if (is_closing_ || waiting >= limits_.batch_turns) return send_batch();
        state_ = state::gathering;
        run_after(limits_.batch_wait, [this] { send_batch(); });
    }

    template <class Function>
    void run_after(duration wait, Function then) {
        timer_.expires_after(wait);
        timer_.async_wait([this, then, number = ++timer_number_](boost::system::error_code ec) {
            if (!ec && number == timer_number_) then();
        });
    }

    void send_batch() {
        std::string spans;
        batch_ = {};
        while (!queue_.empty() && batch_.turns < limits_.batch_turns &&
               spans.size() < limits_.batch_bytes) {
            const auto turn = std::move(queue_.front());
            queue_.pop_front();
            queue_bytes_ -= estimate_bytes(turn);
            ++batch_.turns;
            for (const auto& s : build_spans(turn, random_))
                spans += (spans.empty() ? "" : ",") + encode_span(s);
        }
        batch_.body = encode_export(spans);
        send();
    }

    void send() {
        ++batch_.attempts;
        answer_ = {};
        state_ = state::sending;
        exchange_ = transport_->start({.path = "/v1/traces", .body = batch_.body}, *this);
        run_after(limits_.request_timeout, [this] {
            answer_ = {};
            on_answered(
                fmt::format("no answer within {} s",
                            std::chrono::duration<double>(limits_.request_timeout).count()));
        });
    }

    // --- transport::exchange_handler

    void on_status(int http_status) override {
        answer_.status = http_status;
        answer_.retry_after = exchange_->retry_after().value_or(duration());
    }
    void on_data(std::string_view bytes) override {
        answer_.body += bytes.substr(0, max_answer_bytes - answer_.body.size());
    }
    void on_end(error_code ec, const diagnostics& diag) override {
        if (ec) answer_ = {};
        on_answered(ec ? diag.client_message : "");
    }

    /// `fault` describes why there is no answer.
    void on_answered(const std::string& fault) {
        ++timer_number_;
        timer_.cancel();
        exchange_.reset();
        if (answer_.is_ok()) return on_delivered();
        warn_once(answer_.status == 0
                      ? fault
                      : fmt::format("the collector answered HTTP {}: {}", answer_.status,
                                    wire::sanitize_server_text(answer_.body)));
        if (is_closing_ || !answer_.is_retryable() || batch_.attempts >= limits_.attempts) {
            drop_batch();
            return begin_next_batch();
        }
        state_ = state::pausing;
        run_after(pause(), [this] { send(); });
    }

    // The pause doubles each time, and is partly random so that gateways do not all retry at the
    // same moment.
    duration pause() {
        const auto longest = limits_.first_pause * (1 << (batch_.attempts - 1));
        const auto own = std::chrono::duration_cast<duration>(
            longest * std::uniform_real_distribution<>(0.5, 1)(generator_));
        return std::max(own, std::min(answer_.retry_after, limits_.max_pause));
    }

    void on_delivered() {
        batch_ = {};
        if (std::exchange(has_warned_, false)) log(log_level::info, "traces are delivered again");
        if (const auto why = find_rejection(answer_);
            !why.empty() && !std::exchange(has_logged_rejection_, true))
            log(log_level::warning, why);
        begin_next_batch();
    }

    void close() {
        is_closing_ = true;
        close_timer_.expires_after(limits_.farewell);
        close_timer_.async_wait([this](boost::system::error_code ec) {
            if (!ec) loop_.stop();
        });
        if (state_ == state::sending) return;
        ++timer_number_;
        timer_.cancel();
        if (state_ == state::pausing) return send();
        begin_next_batch();
    }

    void drop_batch() { report_dropped(std::exchange(batch_, {}).turns); }
    void report_dropped(std::size_t turns) const {
        if (turns > 0 && callbacks_.dropped) callbacks_.dropped(turns);
    }

    // Warns once per period in which nothing is delivered.
    void warn_once(const std::string& why) {
        if (std::exchange(has_warned_, true)) return;
        log(log_level::warning, "traces are not delivered: " + why);
    }
    void log(log_level level, std::string_view text) const {
        if (callbacks_.log.enabled(level)) callbacks_.log.write(level, text);
    }

    const callbacks callbacks_;
    const export_limits limits_;
    std::deque<traced_turn> queue_;
    std::atomic<std::size_t> queue_bytes_ = 0;  // includes turns that are not yet in the queue
    std::atomic<bool> has_overflowed_ = false;
    std::mt19937_64 generator_ = make_generator();
    const random_bits random_ = [this] { return generator_(); };
    state state_ = state::idle;
    bool is_closing_ = false;
    bool has_warned_ = false;
    bool has_logged_rejection_ = false;
    batch batch_;
    export_answer answer_;
    asio::io_context loop_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{loop_.get_executor()};
    asio::steady_timer timer_;
    std::uint64_t timer_number_ = 0;  // to ignore handlers queued before the timer changed
    asio::steady_timer close_timer_;
    std::unique_ptr<transport::http_transport> transport_;
    std::unique_ptr<transport::exchange> exchange_;
    std::thread thread_;  // last, because the thread uses all other members
};

trace_exporter::trace_exporter(transport::curl_options where, callbacks handlers,
                               export_limits limits)
    : random_(make_generator()),
      worker_(std::make_unique<worker>(std::move(where), std::move(handlers), limits)) {}

trace_exporter::~trace_exporter() = default;

span_context trace_exporter::begin_span(std::string_view traceparent) {
    return make_span_context(traceparent, [this] { return random_(); });
}

void trace_exporter::add(traced_turn turn) {
    worker_->add(std::move(turn));
}

}  // namespace tandem::gateway
