#pragma once

#include "tandem/duration.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/beast/websocket/teardown.hpp>

#include <memory>
#include <utility>
#include <variant>

// Boost 1.74 uses <utility> there, and does not include it.
#include <boost/asio/awaitable.hpp>

namespace tandem::gateway {

/// The connection of a client, with TLS or without: an AsyncStream, as Beast's HTTP and WebSocket
/// take it. A handle: copies are the same connection, which lives as long as one of them.
class client_stream {
 public:
    using executor_type = boost::beast::tcp_stream::executor_type;
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    /// Without TLS where `tls` is null.
    client_stream(boost::asio::ip::tcp::socket socket,
                  std::shared_ptr<boost::asio::ssl::context> tls);

    executor_type get_executor() const noexcept { return tcp().get_executor(); }
    boost::asio::ip::tcp::socket& socket() const noexcept { return tcp().socket(); }
    /// For what is read and written from now on; over that time the connection is closed.
    void expires_after(duration limit) const { tcp().expires_after(limit); }
    void expires_never() const { tcp().expires_never(); }
    /// At once; waiting operations complete with an error.
    void close() const noexcept;

    /// To be waited for before anything is read or written; false where the client does not talk
    /// TLS, or takes longer. A plain HTTP request is answered with an error.
    awaitable<bool> handshake(duration limit) const;
    /// Says that nothing more comes, and throws away what still does: a socket that is closed with
    /// bytes unread would take back what was written last.
    awaitable<void> finish(duration limit) const;

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        if (auto* const s = tls()) return s->async_read_some(buffers, std::forward<Token>(token));
        return tcp().async_read_some(buffers, std::forward<Token>(token));
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        if (auto* const s = tls()) return s->async_write_some(buffers, std::forward<Token>(token));
        return tcp().async_write_some(buffers, std::forward<Token>(token));
    }

    // What Beast's WebSocket asks of a stream besides.
    template <class Handler>
    friend void async_teardown(boost::beast::role_type role, client_stream& stream,
                               Handler&& handler) {
        using boost::beast::websocket::async_teardown;
        if (auto* const s = stream.tls()) return s->async_shutdown(std::forward<Handler>(handler));
        async_teardown(role, stream.socket(), std::forward<Handler>(handler));
    }
    friend void beast_close_socket(client_stream& stream) { stream.close(); }

 private:
    using tcp_stream = boost::beast::tcp_stream;
    using tls_stream = boost::beast::ssl_stream<tcp_stream>;

    struct state {
        std::shared_ptr<boost::asio::ssl::context> context;
        std::variant<tcp_stream, tls_stream> stream;
    };

    tls_stream* tls() const noexcept { return std::get_if<tls_stream>(&state_->stream); }
    tcp_stream& tcp() const noexcept {
        auto* const s = tls();
        return s ? s->next_layer() : std::get<tcp_stream>(state_->stream);
    }
    awaitable<void> tell_of_tls(duration limit) const;
    awaitable<void> drain() const;

    std::shared_ptr<state> state_;
};

}  // namespace tandem::gateway
