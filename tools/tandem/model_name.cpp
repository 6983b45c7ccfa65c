#include "model_name.hpp"

#include "shown_url.hpp"
#include "text/utf8.hpp"
#include "together.hpp"

#include "tandem/client.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <vector>

namespace tandem::command {
namespace {

struct asked_server {
    client talk;
    told_model told{};
};

std::vector<asked_server> servers_of(const boost::asio::any_io_executor& executor,
                                     const service_config& settings) {
    constexpr duration limit = std::chrono::seconds(2);
    auto c = settings.server;
    c.connect_timeout = std::min(c.connect_timeout, limit);
    c.request_timeout = std::min(c.request_timeout, limit);
    std::vector<asked_server> servers;
    for (auto& url : server_urls(settings)) {
        c.url = url;
        servers.push_back({client(executor, c), {.url = shown_url(url)}});
    }
    return servers;
}

boost::asio::awaitable<void> ask(asked_server& s) {
    error_code ec;
    const auto props =
        co_await s.talk.async_props(boost::asio::redirect_error(boost::asio::use_awaitable, ec));
    if (!ec && is_model_name(props.model)) s.told.name = props.model;
}

}  // namespace

bool is_model_name(const std::string& name) {
    return !name.empty() && name.size() <= max_model_name_bytes &&
           text::find_invalid(name) == std::string::npos;
}

boost::asio::awaitable<told_model> ask_model(boost::asio::any_io_executor executor,
                                             const service_config& settings) {
    auto servers = servers_of(executor, settings);
    co_await together(executor, servers.size(), [&](std::size_t i) { return ask(servers[i]); });
    for (auto& s : servers)
        if (!s.told.name.empty()) co_return std::move(s.told);
    co_return told_model();
}

}  // namespace tandem::command
