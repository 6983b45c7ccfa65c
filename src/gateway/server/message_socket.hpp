#pragma once

#include "gateway/http/client_stream.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/voice/voice_close.hpp"
#include "gateway/voice/voice_socket_watchdog.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Why a request is not a valid upgrade to a WebSocket: 426 or 503; nullopt if it is valid.
std::optional<api_error> check_upgrade(const http_exchange& exchange, const gateway_core& core);

struct message_socket_options {
    /// Identifies the upgrade request in its response.
    std::string request_id{};
    /// Selected if the client offers subprotocols; empty = none.
    std::string_view protocol{};
    std::size_t max_message_bytes = 0;
};

/// A WebSocket of text messages: reads messages one at a time, and sends messages in order. Closes
/// the socket if the client is silent or sends too many messages, and on a timeout: the gateway's
/// write_timeout for a write, read_timeout for a fragmented message, and 5 s for the opening and
/// closing handshakes. Use it on the loop of its connection.
class message_socket : public std::enable_shared_from_this<message_socket> {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    message_socket(client_stream stream, std::shared_ptr<gateway_core> core,
                   message_socket_options options);
    virtual ~message_socket() = default;

    /// Accepts the upgrade, and serves the client until the socket is closed. Returns false if the
    /// handshake failed.
    awaitable<bool> run(const http_request& request);
    /// The gateway is stopping: closes the socket as soon as no reply runs.
    virtual void close_when_idle() = 0;
    /// Draining takes too long: ends the running reply, then closes the socket. Does nothing if the
    /// socket's session does this.
    virtual void abort() = 0;
    /// Closes the socket without a closing handshake.
    void close_without_handshake();

 protected:
    /// A complete message.
    virtual void handle_message(std::string_view text) = 0;
    /// The last message before the socket is closed for `why`; empty = none.
    virtual std::string make_closing_message(voice_close why) const = 0;
    /// Called once, when no further message will be read.
    virtual void on_reading_ended() = 0;

    /// Does nothing once the socket is closing.
    void queue_message(std::string text);
    /// Returns once the client has received most of the queue, or the socket is closing.
    awaitable<void> wait_until_sent();
    /// Sends the queued messages, then closes the socket.
    void begin_closing(voice_close why);
    bool is_closing() const noexcept { return close_.has_value() || !is_connected(); }
    bool is_connected() const noexcept { return stream_.next_layer().socket().is_open(); }

    const std::shared_ptr<gateway_core> core_;

 private:
    /// The stages between the opening and the closing handshake.
    enum class stage { opening, open, closing, closed };

    awaitable<bool> accept(const http_request& request);
    awaitable<bool> read_message();
    void process_message();
    void end_reading();
    void give_up(voice_close why);
    void run_watchdog();
    void ping();

    void write_next();
    void on_written(boost::system::error_code ec);
    void close_stream();
    void set_deadline(boost::asio::steady_timer& timer, duration limit);
    template <class Condition>
    awaitable<void> wait_until_true(Condition is_so);
    bool is_finishing() const noexcept { return is_writing_ || stage_ == stage::closing; }

    boost::beast::websocket::stream<client_stream> stream_;
    message_socket_options options_;
    voice_socket_watchdog line_;
    boost::beast::flat_buffer buffer_;
    std::deque<std::string> out_;  // the front is being written
    std::size_t out_bytes_ = 0;
    std::optional<voice_close> close_;
    boost::asio::steady_timer watch_timer_;  // runs the watchdog
    boost::asio::steady_timer writing_;      // timeout of a write or the closing handshake
    boost::asio::steady_timer reading_;      // timeout of a message
    boost::asio::steady_timer wake_;         // wakes run() when another handler changes the state
    stage stage_ = stage::opening;
    bool is_writing_ = false;
    bool is_pinging_ = false;
    bool has_ended_reading_ = false;
};

}  // namespace tandem::gateway
