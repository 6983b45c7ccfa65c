#include "reply/client_core.hpp"

#include "reply/reply_shell.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/strand.hpp>

#include <algorithm>
#include <utility>

namespace tandem::detail {

client_core::client_core(const boost::asio::any_io_executor& executor, tandem::config c,
                         const make_transport& make)
    : executor_(boost::asio::make_strand(executor)),
      config_(std::move(c)),
      transport_(make(executor_, config_)),
      calls_(std::in_place, executor_, *transport_, config_.request_timeout),
      server_(config_.slots, config_.reuse_guard),
      keeper_(*this, server_.reuse_guard()) {
    // Asio shuts its services down in reverse order of their making. The strand and the timer have
    // made theirs above, so they still work while this one is shut down.
    auto& context = boost::asio::query(executor, boost::asio::execution::context);
    registry_ = &boost::asio::use_service<client_registry>(context);
    registry_->add(*this);
}

client_core::~client_core() {
    if (registry_) registry_->remove(*this);
}

std::shared_ptr<reply_shell> client_core::start(std::string prompt, generation_options options) {
    auto shell = std::make_shared<reply_shell>(shared_from_this(), ++last_reply_id_,
                                               std::move(prompt), std::move(options));
    remember(shell);
    dispatch([shell] { shell->start(); });
    return shell;
}

void client_core::remember(const std::shared_ptr<reply_shell>& reply) {
    const std::lock_guard lock(replies_mutex_);
    std::erase_if(replies_, [](const auto& r) { return r.expired(); });
    replies_.push_back(reply);
}

std::vector<std::weak_ptr<reply_shell>> client_core::take_replies() noexcept {
    const std::lock_guard lock(replies_mutex_);
    return std::exchange(replies_, {});
}

void client_core::prepare(prepared done) {
    if (shut_down_) return done(errc::client_destroyed, {}, {});
    if (const auto& known = server_.props()) return done({}, {}, *known);
    preparing_.push_back(std::move(done));
    if (preparing_.size() > 1) return;
    calls_->props([this](error_code ec, const diagnostics& diag, const server_props& props) {
        props_arrived(ec, diag, props);
    });
}

// An exception of the user's function must not end a reply half-way.
void client_core::write_log(log_level level, const std::string& line) const noexcept try {
    config_.logger.write(level, line);
} catch (...) {
}

void client_core::log_lines(const std::vector<log_line>& lines) const {
    for (const auto& line : lines)
        if (config_.logger.enabled(line.level)) write_log(line.level, line.text);
}

// Who asked tells the error.
void client_core::props_arrived(error_code ec, const diagnostics& diag, const server_props& props) {
    const auto self = shared_from_this();
    if (!ec) {
        log_lines(server_.learn(props));
        keeper_.server_has(props.total_slots, server_.reuse_guard());
    }
    for (const auto& done : std::exchange(preparing_, {})) done(ec, diag, props);
}

void client_core::request_failed(const error_code& ec) {
    server_.request_failed(ec);
    keeper_.set_guard(server_.reuse_guard());
}

void client_core::ran_on_another_slot(int asked, int used) {
    log_lines(server_.ran_on_another_slot(asked, used));
    keeper_.set_guard(server_.reuse_guard());
}

void client_core::destroy() {
    shut_down_ = true;
    keeper_.stop();
    const diagnostics diag{.client_message = "the client was destroyed while the reply ran"};
    for (const auto& weak : take_replies())
        if (const auto reply = weak.lock()) reply->abandon(errc::client_destroyed, diag);
    calls_->cancel(errc::client_destroyed);
}

void client_core::context_ended() noexcept {
    shut_down_ = true;
    registry_ = nullptr;
    for (const auto& weak : take_replies())
        if (const auto reply = weak.lock()) reply->context_ended();
    std::exchange(preparing_, {}).clear();
    calls_.reset();
    keeper_.context_ended();
    transport_.reset();
    // Last, as handlers that are destroyed above may use the client.
    executor_ = boost::asio::any_io_executor();
}

}  // namespace tandem::detail
