#include "base/trace_context.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/server/connection.hpp"
#include "gateway/server/endpoints.hpp"
#include "gateway/server/request_head.hpp"
#include "gateway/server/request_trace.hpp"
#include "gateway/server/response_websocket.hpp"
#include "gateway/server/voice_websocket.hpp"
#include "loop/clock.hpp"

#include <utility>
#include <variant>

// Dispatches the requests of a connection.
namespace tandem::gateway {
namespace {

bool replies(endpoint e) noexcept {
    return e == endpoint::chat_completions || e == endpoint::responses ||
           e == endpoint::completions;
}

}  // namespace

// Handlers take an `admitted_request`, which only the authorizer creates, so no unchecked request
// reaches them.
auto connection::answer(checked_request checked) -> awaitable<bool> {
    auto id = choose_request_id(checked.request);
    http_exchange exchange(stream_, std::move(checked.request), std::move(id),
                           core_->options.write_timeout);
    add_origin_headers(exchange);
    if (core_->is_stopping) exchange.close_after_answer();
    std::string key;
    if (const auto* error = checked.refusal()) {
        key = error->key_name;
        co_await exchange.send(*error);
    } else {
        auto& who = std::get<admitted_request>(checked.who);
        key = who.key_name();
        if (replies(checked.found->route->endpoint)) begin_trace(exchange, *core_, checked.began);
        co_await run_endpoint(exchange, *checked.found, std::move(who));
    }
    record_request(exchange, key, checked);
    if (exchange.trace) {
        exchange.trace->method = checked.found->route->method;
        exchange.trace->status = exchange.status();
        end_trace(exchange, *core_, exchange.id(), checked.route_path());
    }
    co_return exchange.can_keep_alive();
}

template <class Socket>
auto connection::open_socket(http_exchange& exchange, std::optional<api_error> refusal,
                             admitted_request who) -> awaitable<void> {
    if (refusal) co_return co_await exchange.send(*refusal);
    auto socket =
        std::make_shared<Socket>(stream_, core_, make_voice_caller(exchange, std::move(who)));
    co_await serve_socket(exchange, std::move(socket));
}

auto connection::run_endpoint(http_exchange& exchange, const matched_route& found,
                              admitted_request who) -> awaitable<void> {
    switch (found.route->endpoint) {
        case endpoint::preflight:
            co_return co_await answer_preflight(exchange);
        case endpoint::live:
            co_return co_await answer_live(exchange);
        case endpoint::ready:
            co_return co_await answer_ready(exchange, *core_);
        case endpoint::page:
            co_return co_await answer_page(exchange);
        case endpoint::asset:
            co_return co_await answer_asset(exchange, *core_, found.parameter);
        case endpoint::metrics:
            co_return co_await answer_metrics(exchange, *core_);
        case endpoint::list_models:
            co_return co_await answer_models(exchange, *core_, who);
        case endpoint::show_model:
            co_return co_await answer_model(exchange, *core_, who, found.parameter);
        case endpoint::chat_completions:
            co_return co_await answer_chat(exchange, *core_, std::move(who));
        case endpoint::responses:
            co_return co_await answer_response(exchange, *core_, std::move(who));
        case endpoint::completions:
            co_return co_await answer_completion(exchange, *core_, std::move(who));
        case endpoint::list_adapters:
            co_return co_await answer_adapters(exchange, *core_);
        case endpoint::load_adapter:
            co_return co_await answer_load_adapter(exchange, *core_, found.parameter);
        case endpoint::show_job:
            co_return co_await answer_job(exchange, *core_, found.parameter);
        case endpoint::list_servers:
            co_return co_await answer_servers(exchange, *core_);
        case endpoint::drain_server:
            co_return co_await answer_drain(exchange, *core_, found.parameter, true);
        case endpoint::undrain_server:
            co_return co_await answer_drain(exchange, *core_, found.parameter, false);
        case endpoint::response_socket:
            co_return co_await open_socket<response_websocket>(
                exchange, check_upgrade(exchange, *core_), std::move(who));
        case endpoint::voice:
            co_return co_await open_socket<voice_websocket>(
                exchange, check_voice_upgrade(exchange, *core_), std::move(who));
    }
}

voice_caller connection::make_voice_caller(const http_exchange& exchange,
                                           admitted_request who) const {
    return {std::move(who), exchange.id(), remote_, std::string(exchange.traceparent())};
}

// Rejects a client that did not wait for the upgrade response: bytes that arrive before it do not
// belong to the WebSocket.
auto connection::serve_socket(http_exchange& exchange, std::shared_ptr<message_socket> socket)
    -> awaitable<void> {
    if (buffer_.size() > 0)
        co_return co_await exchange.send(
            make_malformed_error("bytes were received before the upgrade was answered"));
    socket_ = std::move(socket);
    const bool was_open = co_await socket_->run(exchange.request());
    exchange.mark_upgraded(was_open ? 101 : 400);
}

void connection::record_request(const http_exchange& exchange, std::string_view key,
                                const checked_request& checked) {
    const auto took = detail::now() - checked.began;
    const auto route = checked.route_path();
    core_->metrics.record_request(route, exchange.status(), took);
    auto record = exchange.record;
    record.time = std::chrono::system_clock::now();
    record.request_id = exchange.id();
    record.trace_id = parse_trace_id(exchange.onward_traceparent());
    record.remote = remote_;
    record.key = key;
    record.method = to_string_view(exchange.request().method_string());
    record.route = route;
    record.status = exchange.status();
    record.elapsed = took;
    // Only POST requests are logged at info level, because frequent health checks would fill the
    // log.
    log_and_audit(core_->options, record,
                  exchange.request().method() == boost::beast::http::verb::post ? log_level::info
                                                                                : log_level::debug);
}

}  // namespace tandem::gateway
