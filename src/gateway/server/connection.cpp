#include "gateway/server/connection.hpp"

#include "gateway/access/cross_origin.hpp"
#include "gateway/answers/random_ids.hpp"
#include "gateway/server/await_admission.hpp"
#include "gateway/server/message_socket.hpp"
#include "gateway/server/request_head.hpp"
#include "loop/clock.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <fmt/format.h>

#include <utility>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::redirect_error;
using asio::use_awaitable;

// How long to wait for the client to close the connection after the last response.
constexpr duration close_timeout = std::chrono::seconds(2);

// Limit on the body of a request that is rejected or needs no body. Larger bodies are not read.
constexpr std::uint64_t small_body = 64 << 10;

// Added to the buffer's limit for a chunk header or the trailer, which Beast does not limit.
constexpr std::size_t read_ahead = 4096;

constexpr std::string_view go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";

using request_parser = http::request_parser<http::string_body>;

bool has_small_body(request_parser& parser) {
    return !parser.chunked() && parser.content_length().value_or(0) <= small_body;
}

bool is_encoded(const http_request& head) {
    const auto coding = head[http::field::content_encoding];
    return !coding.empty() && !boost::beast::iequals(coding, "identity");
}

// Rejects a body that the route does not need or cannot decode, before it is stored.
void refuse_body(checked_request& request, request_parser& parser) {
    if (request.refusal()) return;
    if (request.found->route->method != "POST") {
        if (!has_small_body(parser))
            request.refuse(make_error(413, "unexpected_body", "this path accepts no body"));
    } else if (is_encoded(parser.get())) {
        request.refuse(make_error(
            415, "unsupported_content_encoding",
            fmt::format("Content-Encoding is {}; send the body uncompressed",
                        quote_text(to_string_view(parser.get()[http::field::content_encoding])))));
    }
}

bool expects_continue(const http_request& head) {
    return head.version() >= 11 && boost::beast::iequals(head[http::field::expect], "100-continue");
}

// Whether the connection can continue after a rejected request.
bool may_read_on(const checked_request& refused, request_parser& parser) {
    return refused.is_framed && has_small_body(parser) && !expects_continue(parser.get());
}

checked_request unreadable(const api_error& why) {
    return {.began = detail::now(), .who = why, .is_framed = false};
}

}  // namespace

connection::connection(asio::ip::tcp::socket socket, std::shared_ptr<gateway_core> core)
    : core_(std::move(core)),
      stream_(std::move(socket), core_->tls),
      limit_(stream_.get_executor()),
      buffer_(core_->options.max_header_bytes + read_ahead),
      delays_stop_(!core_->is_stopping) {
    boost::system::error_code ec;
    remote_ = stream_.socket().remote_endpoint(ec).address().to_string();
    // Disables Nagle's algorithm, which would delay small events.
    stream_.socket().set_option(asio::ip::tcp::no_delay(true), ec);
    core_->connections.insert(this);
}

connection::~connection() {
    core_->connections.erase(this);
}

void connection::start() {
    asio::co_spawn(
        stream_.get_executor(), [self = shared_from_this()] { return self->run(); },
        [self = shared_from_this()](const std::exception_ptr& e) {
            if (e) self->on_exception(e);
        });
}

void connection::on_exception(const std::exception_ptr& why) {
    close();
    try {
        std::rethrow_exception(why);
    } catch (...) {
        log_current_exception(core_->options, "closing a connection after an internal error");
    }
}

void connection::close_when_idle() {
    if (is_idle_) close();
    if (socket_) socket_->close_when_idle();
}

void connection::abort_requests() {
    if (socket_) return socket_->abort();
    close();
}

void connection::close() {
    if (socket_) socket_->close_without_handshake();
    stream_.close();
}

auto connection::run() -> awaitable<void> {
    if (!co_await stream_.handshake(core_->options.handshake_timeout)) co_return;
    while (auto request = co_await read_request())
        if (!co_await answer(std::move(*request))) break;
    if (socket_) co_return;
    is_idle_ = true;  // from here on, the connection only discards input
    co_await stream_.shut_down_gracefully(close_timeout);
}

// --- reading

// Beast's timeout closes the connection. This shorter timeout only cancels the read, so that the
// client still receives an error. If the read has just completed, there is nothing to cancel, and
// Beast's timeout still applies.
void connection::set_read_deadline(duration limit) {
    is_late_ = false;
    stream_.expires_after(limit + close_timeout);
    limit_.expires_after(limit);
    limit_.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        // Ignores a handler that was queued for the previous read.
        if (ec || !self->is_reading_ || self->limit_.expiry() > detail::now()) return;
        self->is_late_ = true;
        boost::system::error_code ignored;
        self->stream_.socket().cancel(ignored);
    });
}

// Checks the head first: the body of a rejected request is not stored.
auto connection::read_request() -> awaitable<std::optional<checked_request>> {
    const auto& o = core_->options;
    if (core_->is_stopping && !is_first_) co_return std::nullopt;
    boost::system::error_code ec;
    is_reading_ = true;
    const auto longest_pause = std::exchange(is_first_, false) ? o.read_timeout : o.idle_timeout;
    if (buffer_.size() == 0) {
        is_idle_ = true;
        set_read_deadline(longest_pause);
        const auto more = co_await stream_.async_read_some(buffer_.prepare(4096),
                                                           redirect_error(use_awaitable, ec));
        buffer_.commit(more);
    }
    is_idle_ = false;
    request_parser parser;
    parser.header_limit(static_cast<std::uint32_t>(o.max_header_bytes));
    parser.body_limit(o.max_body_bytes);
    set_read_deadline(o.read_timeout);
    if (!ec)
        co_await http::async_read_header(stream_, buffer_, parser,
                                         redirect_error(use_awaitable, ec));
    std::optional<checked_request> checked;
    if (!ec || ec == http::error::body_limit) {
        checked = check_head(parser.get());
        if (auto* const open = std::get_if<locally_admitted_request>(&checked->who))
            checked->who = co_await await_admission(core_->gate, std::move(*open));
        refuse_body(*checked, parser);
    }
    const bool is_refused = checked && checked->refusal() && (ec || !may_read_on(*checked, parser));
    if (!ec && !is_refused) ec = co_await read_body(parser);
    is_reading_ = false;
    limit_.cancel();
    if (checked) checked->request = parser.release();
    if (ec && !is_refused) {
        const auto error = make_read_error(ec, is_late_ && parser.got_some());
        if (!error) co_return std::nullopt;
        if (!checked) checked = unreadable(*error);
        checked->refuse(*error);
    }
    if (ec || is_refused) {
        co_await refuse_unread(std::move(*checked));
        co_return std::nullopt;
    }
    co_return checked;
}

auto connection::read_body(request_parser& parser) -> awaitable<boost::system::error_code> {
    boost::system::error_code ec;
    if (expects_continue(parser.get()))
        co_await asio::async_write(stream_, asio::buffer(go_ahead),
                                   redirect_error(use_awaitable, ec));
    // Drops the trailer, because no check has seen its fields.
    std::optional<http_request::header_type> head;
    if (parser.chunked()) head = parser.get().base();
    if (!ec) co_await http::async_read(stream_, buffer_, parser, redirect_error(use_awaitable, ec));
    if (head) parser.get().base() = std::move(*head);
    co_return ec;
}

auto connection::check_head(const http_request& head) -> checked_request {
    const auto began = detail::now();
    if (auto fault = find_framing_fault(head)) return {began, std::move(*fault), false};
    const auto origin = to_string_view(head["Origin"]);
    const bool is_allowed = is_origin_allowed(core_->options.allowed_origins, origin);
    const bool asks_first = is_preflight(head);
    auto found = match_route(
        to_string_view(asks_first ? head["Access-Control-Request-Method"] : head.method_string()),
        to_string_view(head.target()));
    if (auto* error = std::get_if<api_error>(&found)) return {began, std::move(*error), true};
    if (asks_first && !is_allowed) return {began, make_origin_error(origin), true};
    auto& route = std::get<matched_route>(found);
    if (asks_first) route = {.route = &preflight_route};
    auto who = core_->gate.authorize_request(
        *route.route,
        {.authorization = to_string_view(head["Authorization"]),
         .websocket_protocols = to_string_view(head["Sec-WebSocket-Protocol"]),
         .foreign_origin = is_allowed ? "" : origin,
         .remote = remote_},
        began);
    return {began, std::move(who), true, std::move(route)};
}

// Returns nullopt if no client waits for a response.
std::optional<api_error> connection::make_read_error(const boost::system::error_code& ec,
                                                     bool is_late) const {
    const auto& o = core_->options;
    if (ec == http::error::body_limit)
        return make_error(
            413, "body_too_large",
            fmt::format("the body exceeds the gateway's limit of {} bytes", o.max_body_bytes));
    if (ec == http::error::buffer_overflow)
        return make_error(431, "header_too_large",
                          fmt::format("a chunk header or the trailer exceeds {} bytes",
                                      o.max_header_bytes + read_ahead));
    if (ec == http::error::header_limit)
        return make_error(
            431, "header_too_large",
            fmt::format("the header exceeds the gateway's limit of {} bytes", o.max_header_bytes));
    if (is_late)
        return make_error(408, "request_timeout",
                          "the request was not received within the gateway's time limit");
    const bool is_of_http =
        ec.category() == http::make_error_code(http::error::bad_method).category();
    if (!is_of_http || ec == http::error::end_of_stream || ec == http::error::partial_message)
        return std::nullopt;
    return make_malformed_error("this is not HTTP/1.1: " + ec.message());
}

// Leaves the rest of the request unread, so the connection must be closed.
auto connection::refuse_unread(checked_request refused) -> awaitable<void> {
    auto id = choose_request_id(refused.request);
    http_exchange exchange(stream_, std::move(refused.request), std::move(id),
                           core_->options.write_timeout);
    add_origin_headers(exchange);
    exchange.close_after_answer();
    co_await exchange.send(*refused.refusal());
    record_request(exchange, refused.refusal()->key_name, refused);
}

// Error responses get these headers, too; otherwise, the page could not read the errors.
void connection::add_origin_headers(http_exchange& exchange) const {
    const auto& allowed = core_->options.allowed_origins;
    if (allowed.empty()) return;
    exchange.set_header("Vary", "Origin");
    const auto origin = exchange.header("Origin");
    if (!is_origin_allowed(allowed, origin)) return;
    exchange.set_header("Access-Control-Allow-Origin", origin);
    exchange.set_header("Access-Control-Expose-Headers", exposed_headers);
}

std::string connection::choose_request_id(const http_request& request) {
    const auto given = to_string_view(request["X-Request-Id"]);
    return is_request_id(given) ? std::string(given) : make_random_id("req-", core_->random);
}

}  // namespace tandem::gateway
