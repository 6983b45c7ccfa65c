#pragma once

#include "cluster/store/store_address.hpp"

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Boost 1.74 uses <utility> here without including it.
#include <boost/asio/awaitable.hpp>

namespace tandem::cluster {

/// A connection to the store or to a sentinel: a TCP or Unix socket, with or without TLS. One
/// coroutine may read while another one writes.
class store_stream {
 public:
    store_stream(const boost::asio::any_io_executor& executor, boost::asio::ssl::context* tls);

    /// Both connect functions return a description of the failure; empty on success. connect()
    /// tries the host's addresses in turn, and begins with the one at index `first`, modulo their
    /// number. An address that does not answer may use up the caller's time limit, so the next
    /// attempt must begin with another one.
    boost::asio::awaitable<std::string> connect(store_address::host_and_port where,
                                                std::size_t first);
    boost::asio::awaitable<std::string> connect_to_path(std::string path);

    /// Reads some bytes; empty at the end of the connection.
    boost::asio::awaitable<std::string_view> read();
    /// False if the connection has ended.
    boost::asio::awaitable<bool> write(std::string bytes);
    /// Also cancels connect(). A closed stream cannot be opened again.
    void close() noexcept;
    bool is_closed() const noexcept { return is_closed_; }

 private:
    using socket = boost::asio::generic::stream_protocol::socket;

    boost::asio::awaitable<boost::system::error_code> connect_to(socket::endpoint_type where);
    boost::asio::awaitable<std::string> shake_hands(std::string host);

    boost::asio::ip::tcp::resolver resolver_;
    socket socket_;
    std::optional<boost::asio::ssl::stream<socket&>> secured_{};
    boost::asio::ssl::context* tls_;
    std::string buffer_;
    bool is_closed_ = false;
};

/// Returns a context that verifies the peer. Throws boost::system::system_error if `ca_file` is
/// unusable.
std::unique_ptr<boost::asio::ssl::context> make_store_tls_context(const std::string& ca_file);

}  // namespace tandem::cluster
