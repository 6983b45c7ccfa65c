#include "gateway/http/client_stream.hpp"

#include "gateway/json/api_error.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <fmt/format.h>

#include <array>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <string>

namespace tandem::gateway {
namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;
using boost::beast::tcp_stream;

std::string make_plain_http_answer() {
    const auto body = encode_error_body(
        make_error(400, "tls_required", "this port requires TLS: use https:// or wss://"));
    return fmt::format(
        "HTTP/1.1 400 Bad Request\r\nServer: tandem\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
        body.size(), body);
}

bool is_plain_http(const boost::system::error_code& ec) {
    return ec.category() == asio::error::get_ssl_category() &&
           ERR_GET_REASON(static_cast<unsigned long>(ec.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

client_stream::client_stream(tcp::socket socket, std::shared_ptr<ssl::context> tls)
    : state_(
          tls ? std::make_shared<state>(state{tls, tls_stream(tcp_stream(std::move(socket)), *tls)})
              : std::make_shared<state>(state{nullptr, tcp_stream(std::move(socket))})) {}

void client_stream::close() const noexcept {
    boost::system::error_code ignored;
    socket().close(ignored);
}

void client_stream::read_some(const buffer_list<asio::mutable_buffer>& buffers,
                              io_handler handler) {
    if (auto* const s = tls()) return s->async_read_some(buffers, std::move(handler));
    tcp().async_read_some(buffers, std::move(handler));
}

void client_stream::write_some(const buffer_list<asio::const_buffer>& buffers, io_handler handler) {
    if (auto* const s = tls()) return s->async_write_some(buffers, std::move(handler));
    tcp().async_write_some(buffers, std::move(handler));
}

void client_stream::tear_down(boost::beast::role_type role, erased_handler<error_code> handler) {
    if (auto* const s = tls()) return s->async_shutdown(std::move(handler));
    boost::beast::websocket::async_teardown(role, socket(), std::move(handler));
}

auto client_stream::handshake(duration limit) const -> awaitable<bool> {
    auto* const s = tls();
    if (!s) co_return true;
    boost::system::error_code ec;
    expires_after(limit);
    co_await s->async_handshake(ssl::stream_base::server, redirect_error(use_awaitable, ec));
    if (is_plain_http(ec)) co_await answer_plain_http(limit);
    expires_never();
    co_return !ec;
}

auto client_stream::answer_plain_http(duration limit) const -> awaitable<void> {
    const auto answer = make_plain_http_answer();
    boost::system::error_code ignored;
    expires_after(limit);
    co_await asio::async_write(tcp(), asio::buffer(answer), redirect_error(use_awaitable, ignored));
    co_await half_close_and_discard_input();
}

auto client_stream::shut_down_gracefully(duration limit) const -> awaitable<void> {
    boost::system::error_code ignored;
    expires_after(limit);
    if (auto* const s = tls()) co_await s->async_shutdown(redirect_error(use_awaitable, ignored));
    co_await half_close_and_discard_input();
}

auto client_stream::half_close_and_discard_input() const -> awaitable<void> {
    boost::system::error_code ec;
    socket().shutdown(tcp::socket::shutdown_send, ec);
    std::array<char, 4096> thrown_away;
    while (!ec)
        co_await tcp().async_read_some(asio::buffer(thrown_away),
                                       redirect_error(use_awaitable, ec));
}

}  // namespace tandem::gateway
