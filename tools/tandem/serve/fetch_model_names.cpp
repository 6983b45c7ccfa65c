#include "serve/fetch_model_names.hpp"

#include "gateway/access/model_name.hpp"
#include "serve/model_grouping.hpp"
#include "text/format_error.hpp"

#include "tandem/client.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::command {
namespace {

struct asked_server {
    client talk;
    named_server& server;
};

std::vector<asked_server> unnamed(const boost::asio::any_io_executor& executor, config settings,
                                  const instruments& i, std::vector<named_server>& servers) {
    constexpr duration limit = std::chrono::seconds(2);
    settings.limits.connect_timeout = std::min(settings.limits.connect_timeout, limit);
    settings.limits.request_timeout = std::min(settings.limits.request_timeout, limit);
    std::vector<asked_server> asked;
    for (auto& s : servers) {
        settings.server.url = s.url;
        if (s.model.empty()) asked.push_back({client(executor, settings, i), s});
    }
    return asked;
}

awaitable<void> ask(asked_server& s) {
    error_code ec;
    diagnostics diag;
    const auto props = co_await s.talk.async_props(diag, redirect_error(use_awaitable, ec));
    const auto name = to_client_model_name(props.model);
    if (ec)
        s.server.no_answer_reason = format_error(ec, diag);
    else if (gateway::is_model_name(name))
        s.server.model = name;
    else
        s.server.no_answer_reason = "it has no name";
}

}  // namespace

awaitable<void> fetch_model_names(boost::asio::any_io_executor executor, const config& settings,
                                  const instruments& i, std::vector<named_server>& servers) {
    auto asked = unnamed(executor, settings, i, servers);
    co_await run_concurrently(executor, asked.size(),
                              [&](std::size_t server) { return ask(asked[server]); });
}

}  // namespace tandem::command
