#include "gateway/http/http_exchange.hpp"

#include "base/trace_context.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/write.hpp>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

namespace tandem::gateway {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::redirect_error;
using asio::use_awaitable;

namespace {

/// Date format of RFC 9110, section 5.6.7.
std::string http_date(std::time_t when) {
    return fmt::format("{:%a, %d %b %Y %H:%M:%S GMT}", fmt::gmtime(when));
}

}  // namespace

http_exchange::http_exchange(client_stream& stream, http_request request, std::string id,
                             duration write_timeout)
    : stream_(stream),
      request_(std::move(request)),
      id_(std::move(id)),
      write_timeout_(write_timeout),
      watch_(stream.socket()),
      may_go_on_(request_.keep_alive()) {}

std::string_view http_exchange::header(std::string_view name) const {
    return to_string_view(request_[to_beast_view(name)]);
}

std::string_view http_exchange::traceparent() const {
    if (request_.count("traceparent") != 1) return {};
    const auto value = header("traceparent");
    return is_valid_traceparent(value) ? value : std::string_view();
}

template <class Message>
void http_exchange::set_head(Message& message) const {
    message.version(request_.version());
    message.keep_alive(may_go_on_);
    message.set(http::field::server, "tandem");
    message.set(http::field::date, http_date(std::time(nullptr)));
    message.set("X-Request-Id", id_);
    message.set(http::field::cache_control, "no-store");
    message.set("X-Content-Type-Options", "nosniff");
    for (const auto& [name, value] : extra_) message.set(to_beast_view(name), to_beast_view(value));
}

template <class Message>
auto http_exchange::write_message(Message& message) -> awaitable<void> {
    boost::beast::error_code ec;
    stream_.expires_after(write_timeout_);
    co_await http::async_write(stream_, message, redirect_error(use_awaitable, ec));
    if (ec && ec != http::error::end_of_stream) on_client_gone();
}

auto http_exchange::send(int status, std::string body, std::string_view content_type,
                         std::span<const header_field> headers) -> awaitable<void> {
    watch_.stop();
    if (is_disconnected_) co_return;
    status_ = status;
    http::response<http::string_body> answer(static_cast<http::status>(status), request_.version(),
                                             std::move(body));
    set_head(answer);
    if (!content_type.empty()) answer.set(http::field::content_type, to_beast_view(content_type));
    for (const auto& [name, value] : headers) answer.set(to_beast_view(name), to_beast_view(value));
    answer.prepare_payload();
    // A 204 response must not have Content-Length; in a 304 response, it would have to be the
    // length of the omitted body.
    if (status == 304 || status == 204) answer.erase(http::field::content_length);
    // A response to HEAD keeps the Content-Length of GET.
    if (request_.method() == http::verb::head) answer.body().clear();
    co_await write_message(answer);
}

auto http_exchange::send(const api_error& error) -> awaitable<void> {
    if (!is_disconnected_) record.error = error.code;
    const auto wait = error.retry_after ? std::to_string(error.retry_after->count()) : "";
    std::vector<header_field> headers;
    const auto add = [&](std::string_view name, std::string_view value) {
        if (!value.empty()) headers.emplace_back(name, value);
    };
    add("Retry-After", wait);
    add("Allow", error.allow);
    add("WWW-Authenticate", error.www_authenticate);
    add("Upgrade", error.upgrade);
    if (!error.upgrade.empty()) add("Connection", may_go_on_ ? "Upgrade" : "Upgrade, close");
    co_await send(error.status, encode_error_body(error), "application/json", headers);
}

auto http_exchange::begin_stream() -> awaitable<void> {
    if (is_disconnected_) co_return;
    status_ = 200;
    http::response<http::empty_body> head(http::status::ok, request_.version());
    // HTTP/1.0 has no chunked encoding, so the stream ends when the connection closes.
    if (request_.version() < 11) close_after_answer();
    set_head(head);
    head.set(http::field::content_type, "text/event-stream; charset=utf-8");
    // Disables buffering in nginx.
    head.set("X-Accel-Buffering", "no");
    head.chunked(request_.version() >= 11);
    http::response_serializer<http::empty_body> serializer(head);
    boost::beast::error_code ec;
    stream_.expires_after(write_timeout_);
    co_await http::async_write_header(stream_, serializer, redirect_error(use_awaitable, ec));
    if (ec) on_client_gone();
}

auto http_exchange::write(std::string_view bytes) -> awaitable<void> {
    // An empty chunk would end the body.
    if (is_disconnected_ || bytes.empty()) co_return;
    const asio::const_buffer text(bytes.data(), bytes.size());
    boost::beast::error_code ec;
    stream_.expires_after(write_timeout_);
    if (request_.version() >= 11)
        co_await asio::async_write(stream_, http::make_chunk(text),
                                   redirect_error(use_awaitable, ec));
    else
        co_await asio::async_write(stream_, text, redirect_error(use_awaitable, ec));
    if (ec) on_client_gone();
}

auto http_exchange::end_stream() -> awaitable<void> {
    watch_.stop();
    if (is_disconnected_ || request_.version() < 11) co_return;
    boost::beast::error_code ec;
    co_await asio::async_write(stream_, http::make_chunk_last(), redirect_error(use_awaitable, ec));
    if (ec) on_client_gone();
}

void http_exchange::on_disconnect(std::function<void()> handler) {
    on_disconnect_ = std::move(handler);
    if (!on_disconnect_) return watch_.stop();
    watch_.start([this] { on_client_gone(); });
}

void http_exchange::on_client_gone() {
    if (std::exchange(is_disconnected_, true)) return;
    if (const auto handler = std::exchange(on_disconnect_, nullptr)) handler();
}

}  // namespace tandem::gateway
