#include "run/server_clients.hpp"

#include "reply/make_client.hpp"
#include "run/paced_reply.hpp"
#include "text/url_text.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::command {
namespace {

constexpr auto ask_interval = std::chrono::milliseconds(250);

bool may_be_starting(const error_code& ec) {
    return ec == errc::model_loading || ec == errc::connect_failed;
}

}  // namespace

server_clients::server_clients(boost::asio::any_io_executor executor,
                               const service_config& settings, const instruments& i,
                               detail::slot_defaults defaults)
    : executor_(executor) {
    auto c = settings.client;
    for (auto& url : server_urls(settings)) {
        c.server.url = std::move(url);
        servers_.push_back({.given = c.server.url,
                            .url = redact_url(c.server.url),
                            .talk = detail::make_client(executor, c, i, defaults),
                            .pause = boost::asio::steady_timer(executor)});
    }
}

awaitable<void> server_clients::fetch_props(duration wait) {
    co_await run_concurrently(executor_, servers_.size(), [this, wait](std::size_t i) {
        return fetch_props(servers_[i], wait);
    });
}

awaitable<void> server_clients::fetch_props(server& s, duration wait) {
    const auto until = clock::now() + wait;
    while (s.talk) {
        s.props =
            co_await s.talk->async_prepare(s.diagnostics, redirect_error(use_awaitable, s.fault));
        s.answers = !s.fault;
        if (!may_be_starting(s.fault) || clock::now() >= until) co_return;
        s.pause.expires_at(std::min<clock::time_point>(clock::now() + ask_interval, until));
        co_await wait_for_timer(s.pause);  // close() ends the pause
    }
}

bool server_clients::is_left_out(const server& s) const {
    return !s.answers && !is_retryable(s.fault) && count_answering() > 0;
}

std::vector<std::string> server_clients::usable_server_urls() const {
    std::vector<std::string> urls;
    for (const auto& s : servers_)
        if (!is_left_out(s)) urls.push_back(s.given);
    return urls;
}

void server_clients::report_to(replay_view& view) const {
    for (const auto& s : servers_)
        if (s.answers) view.on_server_ready(s.url, s.props);
    for (const auto& e : faults()) view.on_server_failed(e);
}

std::vector<fault_event> server_clients::faults() const {
    std::vector<fault_event> all;
    for (const auto& s : servers_)
        if (!s.answers)
            all.push_back({.error = s.fault,
                           .diagnostics = s.diagnostics,
                           .t_ns = to_monotonic_ns(clock::now()),
                           .server = s.url,
                           .hint = is_left_out(s) ? "this run does not use it" : ""});
    return all;
}

void server_clients::close() {
    for (auto& s : servers_) {
        s.talk.reset();
        s.pause.cancel();
    }
}

auto server_clients::next_answering_server() -> server& {
    while (!servers_[next_ % servers_.size()].answers) ++next_;
    return servers_[next_++ % servers_.size()];
}

void server_clients::on_reply_failed(server& s, const error_code& ec) {
    const bool gone = ec == errc::connect_failed || ec == errc::connect_timeout ||
                      ec == errc::resolve_failed || ec == errc::tls_failed;
    if (!gone || count_answering() == 1) return;
    s.answers = false;
    s.fault = ec;
}

const char* server_clients::server::state() const noexcept {
    if (answers) return "up";
    return fault == errc::model_loading ? "loading" : "down";
}

std::size_t server_clients::count_answering() const noexcept {
    return static_cast<std::size_t>(std::ranges::count_if(servers_, &server::answers));
}

}  // namespace tandem::command
