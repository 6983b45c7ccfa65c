#include "cluster/store/store_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tandem::cluster {
namespace {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;

constexpr std::size_t read_bytes = std::size_t{16} << 10;

auto redirect_to(boost::system::error_code& ec) {
    return asio::redirect_error(asio::use_awaitable, ec);
}

}  // namespace

store_stream::store_stream(const asio::any_io_executor& executor, asio::ssl::context* tls)
    : resolver_(executor), socket_(executor), tls_(tls), buffer_(read_bytes, '\0') {}

awaitable<std::string> store_stream::connect(store_address::host_and_port where,
                                             std::size_t first) {
    boost::system::error_code ec;
    const auto found =
        co_await resolver_.async_resolve(where.host, std::to_string(where.port), redirect_to(ec));
    if (ec) co_return fmt::format("cannot resolve {}: {}", where.host, ec.message());
    std::vector<tcp::endpoint> addresses(found.begin(), found.end());
    const auto begin = static_cast<std::ptrdiff_t>(first % addresses.size());
    std::rotate(addresses.begin(), addresses.begin() + begin, addresses.end());
    for (const auto& address : addresses) {
        const socket::endpoint_type endpoint(address);
        ec = co_await connect_to(endpoint);
        if (!ec) break;
    }
    if (ec == asio::error::operation_aborted)
        co_return fmt::format("no connection to {}:{} in time", where.host, where.port);
    if (ec) co_return fmt::format("{}:{}: {}", where.host, where.port, ec.message());
    socket_.set_option(tcp::no_delay(true), ec);
    if (!tls_) co_return std::string();
    co_return co_await shake_hands(where.host);
}

awaitable<std::string> store_stream::shake_hands(std::string host) {
    secured_.emplace(socket_, *tls_);
    secured_->set_verify_callback(asio::ssl::host_name_verification(host));
    SSL_set_tlsext_host_name(secured_->native_handle(), host.c_str());
    boost::system::error_code ec;
    co_await secured_->async_handshake(asio::ssl::stream_base::client, redirect_to(ec));
    if (ec == asio::error::operation_aborted)
        co_return fmt::format("{} did not answer the TLS handshake in time", host);
    co_return ec ? fmt::format("{}: TLS: {}", host, ec.message()) : std::string();
}

awaitable<std::string> store_stream::connect_to_path(std::string path) {
    const socket::endpoint_type endpoint{asio::local::stream_protocol::endpoint(path)};
    const auto ec = co_await connect_to(endpoint);
    co_return ec ? fmt::format("{}: {}", path, ec.message()) : std::string();
}

awaitable<boost::system::error_code> store_stream::connect_to(socket::endpoint_type where) {
    boost::system::error_code ec;
    socket_.close(ec);
    if (is_closed_) co_return asio::error::operation_aborted;
    co_await socket_.async_connect(where, redirect_to(ec));
    co_return ec;
}

awaitable<std::string_view> store_stream::read() {
    boost::system::error_code ec;
    const auto space = asio::buffer(buffer_);
    std::size_t size = 0;
    if (secured_)
        size = co_await secured_->async_read_some(space, redirect_to(ec));
    else
        size = co_await socket_.async_read_some(space, redirect_to(ec));
    co_return std::string_view(buffer_).substr(0, ec ? 0 : size);
}

awaitable<bool> store_stream::write(std::string bytes) {
    boost::system::error_code ec;
    const auto all = asio::buffer(bytes);
    if (secured_)
        co_await asio::async_write(*secured_, all, redirect_to(ec));
    else
        co_await asio::async_write(socket_, all, redirect_to(ec));
    co_return !ec;
}

void store_stream::close() noexcept {
    boost::system::error_code ignored;
    is_closed_ = true;
    resolver_.cancel();
    socket_.close(ignored);
}

std::unique_ptr<asio::ssl::context> make_store_tls_context(const std::string& ca_file) {
    auto context = std::make_unique<asio::ssl::context>(asio::ssl::context::tls_client);
    context->set_verify_mode(asio::ssl::verify_peer);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_2_VERSION);
    if (ca_file.empty())
        context->set_default_verify_paths();
    else
        context->load_verify_file(ca_file);
    return context;
}

}  // namespace tandem::cluster
