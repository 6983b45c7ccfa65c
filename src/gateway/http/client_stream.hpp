#pragma once

#include "gateway/http/erased_handler.hpp"

#include "tandem/duration.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/role.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <boost/container/static_vector.hpp>
#include <boost/system/error_code.hpp>

#include <cstddef>
#include <memory>
#include <utility>
#include <variant>

// Boost 1.74's awaitable.hpp uses <utility> without including it.
#include <boost/asio/awaitable.hpp>

namespace tandem::gateway {

/// A client connection, with or without TLS: an AsyncStream for Beast's HTTP and WebSocket. A
/// handle: copies share the connection, which lives as long as any copy.
class client_stream {
 public:
    using executor_type = boost::beast::tcp_stream::executor_type;
    using error_code = boost::system::error_code;
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    /// Plain TCP if `tls` is null.
    client_stream(boost::asio::ip::tcp::socket socket,
                  std::shared_ptr<boost::asio::ssl::context> tls);

    executor_type get_executor() const noexcept { return tcp().get_executor(); }
    boost::asio::ip::tcp::socket& socket() const noexcept { return tcp().socket(); }
    /// Sets a deadline for subsequent reads and writes; the connection is closed when it expires.
    void expires_after(duration limit) const { tcp().expires_after(limit); }
    void expires_never() const { tcp().expires_never(); }
    /// Closes the connection immediately; pending operations complete with an error.
    void close() const noexcept;

    /// Await before the first read or write. Returns false if the client does not speak TLS, or on
    /// timeout. A plain HTTP request receives an error response.
    awaitable<bool> handshake(duration limit) const;
    /// Shuts down the write side and discards further input: closing a socket with unread bytes
    /// sends a reset, which may destroy the last response.
    awaitable<void> shut_down_gracefully(duration limit) const;

    template <class Buffers, class Token>
    auto async_read_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this, copied = copy_buffers<boost::asio::mutable_buffer>(buffers)](auto handler) {
                read_some(copied, {std::move(handler), get_executor()});
            },
            token);
    }
    template <class Buffers, class Token>
    auto async_write_some(const Buffers& buffers, Token&& token) {
        return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
            [this, copied = copy_buffers<boost::asio::const_buffer>(buffers)](auto handler) {
                write_some(copied, {std::move(handler), get_executor()});
            },
            token);
    }

    // Further requirements of Beast's WebSocket.
    template <class Handler>
    friend void async_teardown(boost::beast::role_type role, client_stream& stream,
                               Handler&& handler) {
        stream.tear_down(role, {std::forward<Handler>(handler), stream.get_executor()});
    }
    friend void beast_close_socket(client_stream& stream) { stream.close(); }

 private:
    using tcp_stream = boost::beast::tcp_stream;
    using tls_stream = boost::beast::ssl_stream<tcp_stream>;
    using io_handler = erased_handler<error_code, std::size_t>;
    template <class Buffer>
    using buffer_list = boost::container::static_vector<Buffer, 16>;

    struct state {
        std::shared_ptr<boost::asio::ssl::context> context;
        std::variant<tcp_stream, tls_stream> stream;
    };

    tls_stream* tls() const noexcept { return std::get_if<tls_stream>(&state_->stream); }
    tcp_stream& tcp() const noexcept {
        auto* const s = tls();
        return s ? s->next_layer() : std::get<tcp_stream>(state_->stream);
    }
    // Copies as many buffers as the list can hold, except empty ones; the caller transfers the rest
    // with its next call.
    template <class Buffer, class Buffers>
    static buffer_list<Buffer> copy_buffers(const Buffers& buffers) {
        buffer_list<Buffer> copied;
        const auto end = boost::asio::buffer_sequence_end(buffers);
        for (auto i = boost::asio::buffer_sequence_begin(buffers); i != end; ++i) {
            const Buffer buffer(*i);
            if (copied.size() == copied.capacity()) break;
            if (buffer.size() != 0) copied.push_back(buffer);
        }
        return copied;
    }
    void read_some(const buffer_list<boost::asio::mutable_buffer>& buffers, io_handler handler);
    void write_some(const buffer_list<boost::asio::const_buffer>& buffers, io_handler handler);
    void tear_down(boost::beast::role_type role, erased_handler<error_code> handler);

    awaitable<void> answer_plain_http(duration limit) const;
    awaitable<void> half_close_and_discard_input() const;

    std::shared_ptr<state> state_;
};

}  // namespace tandem::gateway
