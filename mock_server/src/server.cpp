#include "tandem_mock/server.hpp"

#include "http/mock_http_server.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

namespace tandem::mock {
namespace {

template <class Value>
void require(bool condition, const char* option, Value value, const char* rule) {
    if (!condition)
        throw std::invalid_argument(fmt::format("{} is {}; it must be {}", option, value, rule));
}

options checked(options o) {
    require(o.parallel >= 1 && o.parallel <= 256, "parallel", o.parallel, "1 to 256");
    require(o.ctx_size / o.parallel >= 2, "ctx_size", o.ctx_size, "at least 2 for each slot");
    require(o.batch_size >= 1, "batch_size", o.batch_size, "at least 1");
    require(o.cache_ram >= -1, "cache_ram", o.cache_ram, "at least -1");
    require(o.conversation_change.count() >= 0, "conversation_change",
            o.conversation_change.count(), "at least 0 ms");
    require(o.sliding_window >= 1, "sliding_window", o.sliding_window, "at least 1");
    require(o.ubatch_size >= 1, "ubatch_size", o.ubatch_size, "at least 1");
    require(o.ctx_checkpoints >= 0, "ctx_checkpoints", o.ctx_checkpoints, "at least 0");
    require(o.tokens_per_second >= 0, "tokens_per_second", o.tokens_per_second, "at least 0");
    require(o.total_tokens_per_second >= 0, "total_tokens_per_second", o.total_tokens_per_second,
            "at least 0");
    require(o.prompt_tokens_per_second >= 0, "prompt_tokens_per_second", o.prompt_tokens_per_second,
            "at least 0");
    require(o.poll_interval.count() > 0, "poll_interval", o.poll_interval.count(), "over 0 ms");
    if (o.ssl_cert_file.empty() != o.ssl_key_file.empty())
        throw std::invalid_argument("ssl_cert_file and ssl_key_file must be set together");
    return o;
}

}  // namespace

class server::impl {
 public:
    explicit impl(options o)
        : options_(checked(std::move(o))),
          journal_(options_.parallel),
          hub_(io_, options_, journal_, faults_) {
        for (const fault& f : options_.faults) inject(f);
        hub_.start();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~impl() { stop(); }

    void inject(fault f) { faults_.add(std::move(f), std::chrono::steady_clock::now()); }

    void stop() {
        const std::lock_guard lock(stop_mutex_);
        if (!thread_.joinable()) return;
        boost::asio::post(io_, [this] {
            hub_.stop();
            io_.stop();
        });
        thread_.join();
    }

 private:
    friend server;

    const options options_;
    journal journal_;
    fault_plan faults_;
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{
        io_.get_executor()};
    mock_http_server hub_;
    std::mutex stop_mutex_;
    std::thread thread_;
};

server::server(options o) : impl_(std::make_unique<impl>(std::move(o))) {}
server::~server() = default;

std::uint16_t server::port() const {
    return impl_->hub_.port();
}

std::string server::url() const {
    const char* scheme = impl_->options_.ssl_cert_file.empty() ? "http://" : "https://";
    std::string host = impl_->options_.host;
    if (host.find(':') != std::string::npos) host = "[" + host + "]";
    return scheme + host + ":" + std::to_string(port());
}

void server::inject(fault f) {
    impl_->inject(std::move(f));
}
void server::clear_faults() {
    impl_->faults_.clear();
}
observations server::observe() const {
    return impl_->journal_.snapshot();
}

bool server::wait_until(const std::function<bool(const observations&)>& condition,
                        std::chrono::milliseconds limit) const {
    return impl_->journal_.wait_until(condition, limit);
}

bool server::crashed() const {
    return observe().crashed;
}
void server::stop() {
    impl_->stop();
}

}  // namespace tandem::mock
