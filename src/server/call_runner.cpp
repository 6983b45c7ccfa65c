#include "server/call_runner.hpp"

#include "wire/json/wire_limits.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <utility>

namespace tandem::server {

class call_runner::running_call final : public std::enable_shared_from_this<running_call>,
                                        private transport::exchange_handler {
 public:
    running_call(call_runner& owner, call_id id, std::string path, handler done)
        : owner_(owner),
          id_(id),
          path_(std::move(path)),
          done_(std::move(done)),
          timer_(owner.executor_) {}

    void start(transport::http_request request, std::optional<duration> limit) {
        has_own_limit_ = limit.has_value();
        limit_ = limit.value_or(owner_.timeout_);
        // A failed connect gives a more useful error than a missing answer, so connecting must time
        // out first.
        request.connect_within = limit_ * 3 / 4;
        timer_.expires_after(limit_);
        timer_.async_wait([weak = weak_from_this()](error_code ec) {
            if (const auto self = weak.lock(); self && !ec) self->fail_with_timeout();
        });
        exchange_ = owner_.transport_.start(std::move(request), *this);
    }

    void end(error_code ec, diagnostics diag) {
        const auto self = shared_from_this();
        exchange_.reset();
        timer_.cancel();
        owner_.running_.erase(id_);
        answer_.ec = ec;
        answer_.diag = std::move(diag);
        const auto done = std::exchange(done_, nullptr);
        if (done) done(std::move(answer_));
    }

 private:
    void on_status(int http_status) override { answer_.http_status = http_status; }

    void on_data(std::string_view bytes) override {
        if (answer_.body.size() + bytes.size() > wire::max_answer_bytes)
            return end(errc::response_too_large,
                       {.client_message = fmt::format("the answer to {} exceeds {} MiB", path_,
                                                      wire::max_answer_bytes >> 20)});
        answer_.body += bytes;
    }

    void on_end(error_code ec, const diagnostics& diag) override { end(ec, diag); }

    void fail_with_timeout() {
        end(errc::request_timeout,
            {.client_message = fmt::format(
                 "{} did not answer within {}{}; check the URL and the server's log", path_,
                 has_own_limit_ ? "" : "request_timeout of ", to_string(limit_))});
    }

    call_runner& owner_;
    call_id id_;
    std::string path_;
    handler done_;
    http_response answer_;
    duration limit_{};
    bool has_own_limit_ = false;
    boost::asio::steady_timer timer_;
    std::unique_ptr<transport::exchange> exchange_;
};

call_runner::call_runner(boost::asio::any_io_executor executor,
                         transport::http_transport& transport, duration timeout)
    : executor_(std::move(executor)), transport_(transport), timeout_(timeout) {}

call_runner::~call_runner() = default;

call_id call_runner::run(transport::http_request request, handler done,
                         std::optional<duration> limit) {
    const auto id = ++last_;
    auto call = std::make_shared<running_call>(*this, id, request.path, std::move(done));
    running_.emplace(id, call);
    call->start(std::move(request), limit);
    return id;
}

void call_runner::cancel(call_id id, error_code ec) {
    const auto found = running_.find(id);
    if (found != running_.end()) found->second->end(ec, {.client_message = ec.message()});
}

void call_runner::cancel(error_code ec) {
    while (!running_.empty()) cancel(running_.begin()->first, ec);
}

}  // namespace tandem::server
