#include "gateway/sessions/policy_desk.hpp"

#include "transport/curl_transport.hpp"

#include "tandem/config_fields.hpp"

#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace tandem::gateway {

/// Reads one answer, as far as it is wanted.
class policy_call final : public std::enable_shared_from_this<policy_call>,
                          private transport::exchange_handler {
 public:
    using handler = std::function<void(const policy_verdict&)>;

    policy_call(const boost::asio::any_io_executor& executor, handler done)
        : timer_(executor), done_(std::move(done)) {}

    void start(transport::http_transport& transport, transport::http_request request,
               duration limit) {
        timer_.expires_after(limit);
        timer_.async_wait([weak = weak_from_this(), limit](boost::system::error_code ec) {
            if (const auto self = weak.lock(); self && !ec)
                self->fail(fmt::format("it took longer than {}", tandem::to_string(limit)));
        });
        exchange_ = transport.start(std::move(request), *this);
    }

 private:
    void on_status(int http_status) override {
        status_ = http_status;
        // The body of another one is of no use.
        if (http_status != 200) end(read_verdict(http_status, {}));
    }
    void on_data(std::string_view bytes) override {
        body_ += bytes.substr(0, max_verdict_bytes + 1 - body_.size());
        if (body_.size() > max_verdict_bytes) end(read_verdict(status_, body_));
    }
    void on_end(error_code ec, const diagnostics& diag) override {
        if (ec) return fail(diag.client_message);
        end(read_verdict(status_, body_));
    }

    void fail(std::string why) { end({policy_verdict::result::failed, std::move(why)}); }

    void end(const policy_verdict& v) {
        const auto self = shared_from_this();  // who is told may let go of it
        exchange_.reset();
        timer_.cancel();
        if (const auto done = std::exchange(done_, nullptr)) done(v);
    }

    boost::asio::steady_timer timer_;
    handler done_;
    int status_ = 0;
    std::string body_;
    std::unique_ptr<transport::exchange> exchange_;
};

namespace {

transport::curl_options policy_connection(const gateway_options& o) {
    const auto& server = o.service.server;
    return {.url = o.policy.url,
            .api_key = {},
            .ca_file = server.ca_file,
            .ca_path = server.ca_path,
            .proxy = server.proxy,
            .connect_timeout = o.policy.timeout,
            .peer = "the policy server"};
}

}  // namespace

policy_desk::policy_desk(const boost::asio::any_io_executor& executor, const gateway_options& o,
                         gateway_metrics& metrics)
    : executor_(executor), options_(o.policy), log_(o.service.server.logger), metrics_(metrics) {
    if (!options_.url.empty())
        transport_ = transport::make_curl_transport(executor, policy_connection(o));
}

policy_check policy_desk::ask(const policy_question& q, handler told) {
    auto done = [this, id = std::string(q.request_id),
                 told = std::move(told)](const policy_verdict& v) { told(judge(id, v)); };
    auto call = std::make_shared<policy_call>(executor_, std::move(done));
    // The URL was parsed without its last slash.
    call->start(*transport_,
                {.path = options_.url.ends_with('/') ? "/" : "",
                 .body = question_body(q),
                 .traceparent = std::string(q.traceparent)},
                options_.timeout);
    return call;
}

std::optional<api_error> policy_desk::judge(const std::string& request_id,
                                            const policy_verdict& v) {
    metrics_.policy_checked(v.what);
    if (v.what == policy_verdict::result::failed) warn(request_id, v.words);
    return error_of(v, options_.on_failure);
}

void policy_desk::warn(const std::string& request_id, const std::string& why) const {
    if (!log_.enabled(log_level::warning)) return;
    const bool passes = options_.on_failure == on_policy_failure::pass;
    log_.write(
        log_level::warning,
        fmt::format("request {}: the policy check (--policy-url) failed, and the prompt {}: {}",
                    request_id, passes ? "passes unchecked" : "is refused", why));
}

}  // namespace tandem::gateway
