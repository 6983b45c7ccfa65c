#include "cluster/store/store_link.hpp"

#include "cluster/store/store_connector.hpp"
#include "loop/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace tandem::cluster {
namespace {

namespace asio = boost::asio;
using asio::awaitable;

constexpr duration first_pause = std::chrono::milliseconds(50);
constexpr duration max_pause = std::chrono::seconds(1);
constexpr std::size_t max_unsent_bytes = std::size_t{64} << 20;

// Keeps gateways that lost the same store from all reconnecting at the same moment.
duration jittered(duration pause) {
    static thread_local std::minstd_rand random{std::random_device{}()};
    return duration(std::uniform_int_distribution(pause.count() / 2, pause.count())(random));
}

bool is_not_primary(const store_answer& answer) {
    // Redis 6 wraps the error of a command in the error of its script.
    return answer.kind == answer_kind::error && answer.text.find("READONLY ") != std::string::npos;
}

}  // namespace

class store_link::connection_loop : public std::enable_shared_from_this<connection_loop> {
 public:
    connection_loop(const asio::any_io_executor& executor, store_options o, logger log)
        : executor_(executor),
          log_(std::move(log)),
          name_(to_string(o.address)),
          connector_(executor, std::move(o)),
          limit_(executor),
          pause_(executor) {}

    void start(std::function<void()> on_connected) {
        on_connected_ = std::move(on_connected);
        asio::co_spawn(
            executor_, [self = shared_from_this()] { return keep_connected(self); },
            asio::detached);
    }

    void close() {
        is_closed_ = true;
        on_connected_ = nullptr;
        on_message_ = nullptr;
        commands_.reset();
        limit_.cancel();
        pause_.cancel();
        connector_.close();
    }

    void run(std::vector<std::string> words, answer_handler done, duration limit) {
        const auto now = detail::now();
        if (!is_connected() || unsent_.size() > max_unsent_bytes || commands_.is_full())
            return fail_command(std::move(done));
        commands_.push(now, limit, std::move(done));
        check_limits_at(now + std::min(limit, answer_limit));
        send_bytes(encode_command(words));
    }

    void subscribe(std::string channel) {
        channels_.push_back(std::move(channel));
        if (is_open()) send_subscription(channels_.back());
    }
    void unsubscribe(const std::string& channel) {
        std::erase(channels_, channel);
        if (is_open()) send_bytes(encode_command({"UNSUBSCRIBE", channel}));
    }
    void set_message_handler(std::function<void(const std::string&, const std::string&)> handler) {
        on_message_ = std::move(handler);
    }

    bool is_connected() const noexcept { return is_open() && unconfirmed_ == 0; }

 private:
    store_stream& stream() const { return *connector_.stream(); }
    bool is_open() const noexcept { return is_connected_ && !stream().is_closed(); }

    static awaitable<void> keep_connected(std::shared_ptr<connection_loop> self) {
        auto pause = first_pause;
        while (!self->is_closed_) {
            const bool was_connected = co_await self->run_connection();
            pause = was_connected ? first_pause : std::min(2 * pause, max_pause);
            if (self->is_closed_) co_return;
            boost::system::error_code ec;
            self->pause_.expires_after(jittered(pause));
            co_await self->pause_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
        }
    }

    /// Returns when the connection has ended: true if it had been established.
    awaitable<bool> run_connection() {
        const auto fault = co_await connector_.connect();
        if (!is_closed_ && fault.empty()) co_await process_answers();
        stream().close();
        limit_.cancel();
        const bool was_connected = std::exchange(is_connected_, false);
        unsent_.clear();
        is_writing_ = false;
        for (auto& done : commands_.reset()) fail_command(std::move(done));
        if (!is_closed_) log_fault(fault.empty() ? "the connection has ended" : fault);
        co_return was_connected;
    }

    awaitable<void> process_answers() {
        next_check_ = never;
        is_connected_ = true;
        log_return();
        if (!channels_.empty())
            start_messages();
        else if (on_connected_)
            on_connected_();
        while (!is_closed_) {
            auto& reader = connector_.reader();
            while (auto answer = reader.next()) handle_answer(*answer);
            if (!reader.fault().empty()) co_return;
            const auto bytes = co_await stream().read();
            if (bytes.empty() || !reader.feed(bytes)) co_return;
        }
    }

    void handle_answer(const store_answer& answer) {
        if (!channels_.empty()) return handle_message(answer);
        const auto done = commands_.pop();
        const bool is_usable = !is_not_primary(answer);
        if (!done || !is_usable) stream().close();
        if (done && *done) (*done)(is_usable ? std::optional(answer) : std::nullopt);
    }

    // --- limits of commands

    void check_limits_at(time_point when) {
        if (next_check_ <= when) return;
        next_check_ = when;
        limit_.expires_at(when);
        limit_.async_wait([weak = weak_from_this()](boost::system::error_code ec) {
            if (const auto self = weak.lock(); self && !ec && self->is_connected_)
                self->check_limits();
        });
    }

    void check_limits() {
        next_check_ = never;
        const auto now = detail::now();
        if (!channels_.empty()) return check_messages(now);
        auto overdue = commands_.take_overdue(now);
        for (auto& done : overdue.handlers) fail_command(std::move(done));
        if (overdue.is_stuck) {
            log_fault("does not answer in time");
            return stream().close();
        }
        if (commands_.next_limit() != never) check_limits_at(commands_.next_limit());
    }

    // --- messages

    void start_messages() {
        unconfirmed_ = 0;
        is_heard_ = true;
        for (const auto& channel : channels_) send_subscription(channel);
        check_messages(detail::now());
    }

    void send_subscription(const std::string& channel) {
        ++unconfirmed_;
        send_bytes(encode_command({"SUBSCRIBE", channel}));
    }

    /// Sends a PING to detect a dead connection, because messages may be rare.
    void check_messages(time_point now) {
        if (!std::exchange(is_heard_, false)) return stream().close();
        send_bytes(encode_command({"PING"}));
        check_limits_at(now + answer_limit);
    }

    void handle_message(const store_answer& answer) {
        is_heard_ = true;
        if (answer.kind == answer_kind::error) return log_rejected_channels(answer.text);
        if (!answer.is_list_of(3)) return;
        const auto& kind = answer.items[0].text;
        if (kind == "subscribe" && unconfirmed_ > 0 && --unconfirmed_ == 0) on_channels_confirmed();
        if (kind == "message" && on_message_)
            on_message_(answer.items[1].text, answer.items[2].text);
    }

    void on_channels_confirmed() {
        is_rejection_reported_ = false;
        if (on_connected_) on_connected_();
    }

    // --- sending

    void fail_command(answer_handler done) {
        asio::post(executor_, [weak = weak_from_this(), done = std::move(done)] {
            if (const auto self = weak.lock(); self && !self->is_closed_) done(std::nullopt);
        });
    }

    void send_bytes(std::string bytes) {
        unsent_ += bytes;
        if (std::exchange(is_writing_, true)) return;
        asio::co_spawn(
            executor_,
            [self = shared_from_this(), stream = connector_.stream()] {
                return write_all(self, stream);
            },
            asio::detached);
    }

    static awaitable<void> write_all(std::shared_ptr<connection_loop> self,
                                     std::shared_ptr<store_stream> stream) {
        bool is_open = true;
        while (is_open && stream == self->connector_.stream() && !self->unsent_.empty()) {
            auto bytes = std::exchange(self->unsent_, {});
            is_open = co_await stream->write(std::move(bytes));
        }
        if (stream == self->connector_.stream()) self->is_writing_ = false;
    }

    /// Logs once when the store stops answering, and once when it answers again. A gateway's other
    /// connection reports the same faults as the one for messages.
    void log_fault(const std::string& fault) {
        if (channels_.empty() && !std::exchange(is_reported_, true))
            log_line(log_level::warning, fault);
    }
    void log_return() {
        if (std::exchange(is_reported_, false)) log_line(log_level::info, "answers again");
    }
    void log_rejected_channels(const std::string& error) {
        if (!std::exchange(is_rejection_reported_, true))
            log_line(log_level::warning,
                     fmt::format("rejects messages: {}; allow the user all channels", error));
    }
    void log_line(log_level level, std::string_view what) const {
        if (log_.enabled(level)) log_.write(level, fmt::format("store {}: {}", name_, what));
    }

    asio::any_io_executor executor_;
    logger log_;
    std::string name_;
    store_connector connector_;
    asio::steady_timer limit_;
    asio::steady_timer pause_;
    std::function<void()> on_connected_;
    std::function<void(const std::string&, const std::string&)> on_message_;
    std::vector<std::string> channels_;
    command_queue commands_;
    time_point next_check_ = never;
    std::string unsent_;
    std::size_t unconfirmed_ = 0;  // channels
    bool is_heard_ = false;        // since the last PING
    bool is_writing_ = false;
    bool is_connected_ = false;
    bool is_reported_ = false;
    bool is_rejection_reported_ = false;
    bool is_closed_ = false;
};

store_link::store_link(const asio::any_io_executor& executor, store_options o, logger log)
    : loop_(std::make_shared<connection_loop>(executor, std::move(o), std::move(log))) {}

store_link::~store_link() {
    loop_->close();
}

void store_link::start(std::function<void()> on_connected) {
    loop_->start(std::move(on_connected));
}

void store_link::run(std::vector<std::string> words, answer_handler done, duration limit) {
    loop_->run(std::move(words), std::move(done), limit);
}

void store_link::subscribe(std::string channel) {
    loop_->subscribe(std::move(channel));
}

void store_link::unsubscribe(const std::string& channel) {
    loop_->unsubscribe(channel);
}

void store_link::set_message_handler(
    std::function<void(const std::string&, const std::string&)> handler) {
    loop_->set_message_handler(std::move(handler));
}

bool store_link::is_connected() const noexcept {
    return loop_->is_connected();
}

}  // namespace tandem::cluster
