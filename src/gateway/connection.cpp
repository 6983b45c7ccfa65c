#include "gateway/connection.hpp"

#include "gateway/audit_line.hpp"
#include "gateway/endpoints.hpp"
#include "gateway/ids.hpp"
#include "gateway/routes.hpp"
#include "gateway/voice_socket.hpp"
#include "reply/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::redirect_error;
using asio::use_awaitable;

std::string_view view_of(boost::beast::string_view text) {
    return {text.data(), text.size()};
}

// What is shown in logs and sent back must be short and harmless.
bool is_request_id(std::string_view id) {
    constexpr std::size_t longest = 128;
    return !id.empty() && id.size() <= longest &&
           std::ranges::all_of(id, [](char c) { return c > ' ' && c < 0x7f; });
}

// In no coroutine: GCC 12 destroys aggregates that are made in one twice.
api_error not_served(const route& r) {
    return {.status = 501,
            .type = "not_found_error",
            .code = "not_implemented",
            .message = fmt::format("this gateway does not serve {}", r.path)};
}

api_error sent_ahead() {
    return {.status = 400,
            .type = "invalid_request_error",
            .message = "bytes came before the upgrade was answered"};
}

}  // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<gateway_core> core)
    : core_(std::move(core)), stream_(std::move(socket)), limit_(stream_.get_executor()) {
    boost::system::error_code ec;
    remote_ = stream_.socket().remote_endpoint(ec).address().to_string();
    // Small events must not wait for each other.
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ec);
    core_->connections.insert(this);
}

connection::~connection() {
    core_->connections.erase(this);
}

void connection::start() {
    asio::co_spawn(
        stream_.get_executor(), [self = shared_from_this()] { return self->run(); },
        asio::detached);
}

void connection::close_when_idle() {
    if (is_reading_) close();
    if (voice_) voice_->drain();
}

void connection::cut_short() {
    if (!voice_) close();
}

void connection::close() {
    if (voice_) voice_->kill();
    boost::system::error_code ignored;
    stream_.socket().close(ignored);
}

auto connection::run() -> awaitable<void> {
    while (auto request = co_await read_request())
        if (!co_await answer(std::move(*request))) break;
    boost::system::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

// --- reading

// A stream of Beast closes what takes too long; here the client is told.
void connection::limit_reading(duration limit) {
    is_late_ = false;
    stream_.expires_never();
    limit_.expires_after(limit);
    limit_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        if (ec || !self->is_reading_) return;
        self->is_late_ = true;
        boost::system::error_code ignored;
        self->stream_.socket().cancel(ignored);
    });
}

auto connection::read_request() -> awaitable<std::optional<http_request>> {
    const auto& o = core_->options;
    if (core_->is_stopping) co_return std::nullopt;
    boost::system::error_code ec;
    is_reading_ = true;
    if (buffer_.size() == 0 && !std::exchange(is_first_, false)) {
        limit_reading(o.idle_timeout);
        const auto more = co_await stream_.async_read_some(buffer_.prepare(4096),
                                                           redirect_error(use_awaitable, ec));
        buffer_.commit(more);
    }
    http::request_parser<http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(o.max_header_bytes));
    parser.body_limit(o.max_body_bytes);
    limit_reading(o.read_timeout);
    if (!ec) co_await http::async_read(stream_, buffer_, parser, redirect_error(use_awaitable, ec));
    is_reading_ = false;
    limit_.cancel();
    if (!ec) co_return parser.release();
    if (const auto error = error_of_reading(ec, is_late_ && parser.got_some()))
        co_await refuse_unread(*error);
    co_return std::nullopt;
}

// Nothing where nobody waits for an answer.
std::optional<api_error> connection::error_of_reading(const boost::system::error_code& ec,
                                                      bool is_late) const {
    const auto& o = core_->options;
    const auto refused = [](int status, std::string message) {
        return api_error{
            .status = status, .type = "invalid_request_error", .message = std::move(message)};
    };
    if (ec == http::error::body_limit)
        return refused(
            413, fmt::format("the body has over {} bytes, the gateway's bound", o.max_body_bytes));
    if (ec == http::error::header_limit)
        return refused(431, fmt::format("the header has over {} bytes, the gateway's bound",
                                        o.max_header_bytes));
    if (is_late) return refused(408, "the request did not come within the gateway's time for it");
    const bool is_of_http =
        ec.category() == http::make_error_code(http::error::bad_method).category();
    if (!is_of_http || ec == http::error::end_of_stream || ec == http::error::partial_message)
        return std::nullopt;
    return refused(400, "this is not HTTP/1.1: " + ec.message());
}

// The rest of the request is not read: the connection ends.
auto connection::refuse_unread(const api_error& error) -> awaitable<void> {
    http_exchange exchange(stream_, {}, random_id("req-", core_->random),
                           core_->options.write_timeout);
    exchange.close_after();
    co_await exchange.send(error);
    audit(exchange, {}, {}, detail::now());
}

std::string connection::id_of(const http_request& request) {
    const auto told = view_of(request["X-Request-Id"]);
    return is_request_id(told) ? std::string(told) : random_id("req-", core_->random);
}

// --- answering

// Every request passes here, and what it asks for is reached with an `admitted` alone.
auto connection::answer(http_request request) -> awaitable<bool> {
    const auto began = detail::now();
    auto id = id_of(request);
    http_exchange exchange(stream_, std::move(request), std::move(id),
                           core_->options.write_timeout);
    if (core_->is_stopping) exchange.close_after();
    const auto& r = exchange.request();
    const auto found = find_route(view_of(r.method_string()), view_of(r.target()));
    if (const auto* error = std::get_if<api_error>(&found)) {
        co_await exchange.send(*error);
        audit(exchange, {}, {}, began);
        co_return exchange.may_go_on();
    }
    const auto& route = std::get<found_route>(found);
    auto checked =
        core_->gate.check(*route.route,
                          {.authorization = exchange.header("Authorization"),
                           .websocket_protocols = exchange.header("Sec-WebSocket-Protocol"),
                           .origin = exchange.header("Origin"),
                           .remote = remote_},
                          began);
    std::string key;
    if (const auto* error = std::get_if<api_error>(&checked)) {
        co_await exchange.send(*error);
    } else {
        auto& who = std::get<admitted>(checked);
        key = who.key_name();
        co_await dispatch(exchange, route, std::move(who));
    }
    audit(exchange, key, route.route->path, began);
    co_return exchange.may_go_on();
}

auto connection::dispatch(http_exchange& exchange, const found_route& found, admitted who)
    -> awaitable<void> {
    switch (found.route->endpoint) {
        case endpoint::health:
            co_return co_await answer_health(exchange);
        case endpoint::ready:
            co_return co_await answer_ready(exchange, *core_);
        case endpoint::list_models:
            co_return co_await answer_models(exchange, *core_, who);
        case endpoint::show_model:
            co_return co_await answer_model(exchange, *core_, who, found.parameter);
        case endpoint::chat_completions:
            co_return co_await answer_chat(exchange, *core_, std::move(who));
        case endpoint::completions:
            co_return co_await answer_completion(exchange, *core_, std::move(who));
        case endpoint::voice:
            co_return co_await answer_voice(exchange, std::move(who));
        default:
            co_await exchange.send(not_served(*found.route));
    }
}

// A client must wait for the answer: what it sent ahead is no part of the WebSocket.
auto connection::answer_voice(http_exchange& exchange, admitted who) -> awaitable<void> {
    auto refusal = voice_refusal(exchange, *core_);
    if (!refusal && buffer_.size() > 0) refusal = sent_ahead();
    if (refusal) co_return co_await exchange.send(*refusal);
    voice_caller caller{std::move(who), exchange.id(), remote_};
    voice_ = std::make_shared<voice_websocket>(stream_.release_socket(), core_, std::move(caller));
    const bool was_open = co_await voice_->run(exchange.request());
    exchange.handed_over(was_open ? 101 : 400);
}

void connection::audit(const http_exchange& exchange, std::string_view key, std::string_view route,
                       time_point began) {
    if (!core_->options.audit) return;
    auto record = exchange.record;
    record.time = std::chrono::system_clock::now();
    record.request_id = exchange.id();
    record.remote = remote_;
    record.key = key;
    record.method = view_of(exchange.request().method_string());
    record.route = route;
    record.status = exchange.status();
    record.took = detail::now() - began;
    core_->options.audit(audit_line(record));
}

}  // namespace tandem::gateway
