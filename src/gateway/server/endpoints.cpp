#include "gateway/server/endpoints.hpp"

#include "gateway/access/cross_origin.hpp"
#include "gateway/answers/model_choice.hpp"
#include "gateway/answers/model_list.hpp"
#include "gateway/json/json_text.hpp"
#include "gateway/sessions/session_admission.hpp"
#include "gateway/telemetry/process_stats.hpp"
#include "loop/clock.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

using boost::asio::awaitable;
using json = nlohmann::ordered_json;

// This route needs no key, so its answer hides the servers' addresses and messages.
json json_of(const server_status& s) {
    return {{"state", to_string(s.state)}, {"draining", s.draining}};
}

std::string metrics_now(gateway_core& core, const std::vector<server_status>& servers) {
    core.metrics.set_load({.connections = core.connections.size(),
                           .voice_sockets = core.voices.count_sockets(),
                           .voice_sessions = core.known_sessions.size()});
    core.metrics.set_servers(servers);
    const auto cluster = core.cluster ? std::optional(core.cluster->status()) : std::nullopt;
    return core.metrics.to_prometheus_text(read_process_stats(), cluster);
}

}  // namespace

awaitable<void> answer_preflight(http_exchange& exchange) {
    exchange.set_header("Access-Control-Allow-Methods", allowed_methods);
    const auto asked = exchange.header("Access-Control-Request-Headers");
    if (!asked.empty()) exchange.set_header("Access-Control-Allow-Headers", asked);
    exchange.set_header("Access-Control-Max-Age", preflight_lifetime);
    co_await exchange.send(204, "", "");
}

awaitable<void> answer_live(http_exchange& exchange) {
    co_await exchange.send(200, R"({"status":"ok"})");
}

awaitable<void> answer_ready(http_exchange& exchange, gateway_core& core) {
    json list = json::array();
    bool is_ready = false;
    for (auto& model : core.models.all()) {
        error_code ec;
        const auto servers = co_await model.bots.async_servers(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        is_ready = is_ready || std::ranges::any_of(servers, is_server_usable);
        for (const auto& s : servers) list.push_back(json_of(s));
    }
    is_ready = is_ready && !core.is_stopping;
    const json body{{"status", is_ready ? "ready" : "not ready"}, {"servers", std::move(list)}};
    co_await exchange.send(is_ready ? 200 : 503, dump_json(body));
}

awaitable<void> answer_metrics(http_exchange& exchange, gateway_core& core) {
    std::vector<server_status> servers;
    for (auto& model : core.models.all()) {
        error_code ec;
        const auto its = co_await model.bots.async_servers(
            boost::asio::redirect_error(boost::asio::use_awaitable, ec));
        update_speech_load(model, its);
        core.metrics.set_speech_load(model.name, model.load.compute_load(detail::now()));
        servers.insert(servers.end(), its.begin(), its.end());
    }
    co_await exchange.send(200, metrics_now(core, servers),
                           "text/plain; version=0.0.4; charset=utf-8");
}

awaitable<void> answer_models(http_exchange& exchange, gateway_core& core,
                              const admitted_request& who) {
    const auto models = list_allowed_models(core.models.names(), who);
    co_await exchange.send(200, model_list_body(models, core.started_at));
}

awaitable<void> answer_model(http_exchange& exchange, gateway_core& core,
                             const admitted_request& who, std::string_view id) {
    const auto models = list_allowed_models(core.models.names(), who);
    if (std::ranges::find(models, id) == models.end())
        co_return co_await exchange.send(make_model_not_found_error(id, models));
    co_await exchange.send(200, model_body(id, core.started_at));
}

}  // namespace tandem::gateway
