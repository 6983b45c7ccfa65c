#include "gateway/answers/server_answer.hpp"
#include "gateway/server/endpoints.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <vector>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;

awaitable<std::vector<model_server>> list_servers(gateway_core& core) {
    std::vector<model_server> all;
    for (auto& model : core.models.all()) {
        error_code ec;
        auto servers = co_await model.bots.async_servers(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        for (auto& s : servers) all.push_back({model.name, std::move(s)});
    }
    co_return all;
}

}  // namespace

awaitable<void> answer_servers(http_exchange& exchange, gateway_core& core) {
    const auto servers = co_await list_servers(core);
    co_await exchange.send(200, server_list_body(servers));
}

awaitable<void> answer_drain(http_exchange& exchange, gateway_core& core, std::string_view id,
                             bool is_drained) {
    const auto is_meant = [id](const model_server& s) { return is_server_id(id, s.status.url); };
    auto servers = co_await list_servers(core);
    auto found = std::ranges::find_if(servers, is_meant);
    if (found == servers.end()) co_return co_await exchange.send(make_server_not_found_error(id));
    core.set_server_drained(make_server_id(found->status.url), is_drained);
    servers = co_await list_servers(core);
    found = std::ranges::find_if(servers, is_meant);
    if (found == servers.end()) co_return co_await exchange.send(make_server_not_found_error(id));
    co_await exchange.send(200, server_body(*found));
}

}  // namespace tandem::gateway
