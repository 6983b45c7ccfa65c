#include "tls_server.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

namespace tandem::testing {

namespace asio = boost::asio;
using asio::redirect_error;
using asio::use_awaitable;
using asio::ip::tcp;

tls_server::tls_server(const certificate& c, std::string answer, bool polite)
    : answer_(std::move(answer)),
      polite_(polite),
      acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)),
      port_(acceptor_.local_endpoint().port()) {
    tls_.use_certificate(asio::buffer(c.cert), asio::ssl::context::pem);
    tls_.use_private_key(asio::buffer(c.key), asio::ssl::context::pem);
    asio::co_spawn(context_, serve_one(), asio::detached);
    thread_ = std::thread([this] { context_.run(); });
}

tls_server::~tls_server() {
    context_.stop();
    thread_.join();
}

asio::awaitable<void> tls_server::serve_one() {
    asio::ssl::stream<tcp::socket> stream(co_await acceptor_.async_accept(use_awaitable), tls_);
    boost::system::error_code ec;
    std::string text;
    const auto done = [&ec] { return redirect_error(use_awaitable, ec); };
    co_await stream.async_handshake(asio::ssl::stream_base::server, done());
    if (!ec)
        co_await asio::async_read_until(stream, asio::dynamic_buffer(text), "\r\n\r\n", done());
    if (!ec) co_await asio::async_write(stream, asio::buffer(answer_), done());
    if (!ec && polite_) co_await asio::async_read(stream, asio::dynamic_buffer(text), done());
    closed_.set_value();
}

}  // namespace tandem::testing
