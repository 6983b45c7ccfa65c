#include "server_clients.hpp"

#include "paced_reply.hpp"
#include "shown_url.hpp"
#include "slots/server_builds.hpp"
#include "together.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace tandem::command {
server_clients::server_clients(boost::asio::any_io_executor executor,
                               const service_config& settings)
    : executor_(executor), reuse_guard_(settings.server.reuse_guard) {
    auto c = settings.server;
    for (auto& url : server_urls(settings)) {
        c.url = std::move(url);
        servers_.push_back({.url = shown_url(c.url), .talk = client(executor, c)});
    }
}

boost::asio::awaitable<void> server_clients::ask() {
    co_await together(executor_, servers_.size(),
                      [this](std::size_t i) { return ask(servers_[i]); });
}

boost::asio::awaitable<void> server_clients::ask(server& s) {
    using boost::asio::use_awaitable;
    s.props = co_await s.talk->async_prepare(boost::asio::redirect_error(use_awaitable, s.fault),
                                             &s.diagnostics);
    s.answers = !s.fault;
}

void server_clients::tell(replay_view& view) const {
    for (const auto& s : servers_)
        if (s.answers) view.server_ready(s.url, s.props);
    for (const auto& s : servers_)
        if (!s.answers)
            view.failed({.error = s.fault,
                         .diagnostics = s.diagnostics,
                         .t_ns = ns_of(clock::now()),
                         .server = s.url});
}

void server_clients::close() {
    for (auto& s : servers_) s.talk.reset();
}

auto server_clients::next() -> server& {
    while (!servers_[next_ % servers_.size()].answers) ++next_;
    return servers_[next_++ % servers_.size()];
}

void server_clients::reply_failed(server& s, const error_code& ec) {
    const bool gone = ec == errc::connect_failed || ec == errc::connect_timeout ||
                      ec == errc::resolve_failed || ec == errc::tls_failed;
    if (!gone || answering() == 1) return;
    s.answers = false;
    s.fault = ec;
}

const char* server_clients::server::state() const noexcept {
    if (answers) return "up";
    return fault == errc::model_loading ? "loading" : "down";
}

std::size_t server_clients::answering() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(servers_, &server::answers));
}

duration server_clients::reuse_guard() const {
    if (reuse_guard_) return *reuse_guard_;
    duration longest{};
    for (const auto& s : servers_)
        if (s.answers) longest = std::max(longest, slots::safe_reuse_guard(s.props.build_info));
    return longest;
}

}  // namespace tandem::command
