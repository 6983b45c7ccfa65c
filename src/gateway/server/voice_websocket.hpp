#pragma once

#include "gateway/http/client_stream.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_session_host.hpp"
#include "gateway/voice/voice_socket_watchdog.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Why a request is not a valid upgrade to the voice WebSocket: 426, 400 or 503; nullopt if it is.
std::optional<api_error> check_voice_upgrade(const http_exchange& exchange,
                                             const gateway_core& core);

/// One voice WebSocket: reads messages and writes answers in order, each one at a time. Closes the
/// socket on a timeout: the gateway's write_timeout for a write, read_timeout for a fragmented
/// message, 5 s for the opening and closing handshakes. On the loop of its connection.
class voice_websocket final : public voice_sink,
                              public std::enable_shared_from_this<voice_websocket> {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    voice_websocket(client_stream stream, std::shared_ptr<gateway_core> core, voice_caller caller);
    ~voice_websocket();
    voice_websocket(const voice_websocket&) = delete;
    voice_websocket& operator=(const voice_websocket&) = delete;

    /// Accepts the upgrade, and serves the client until the socket is closed. Returns false if the
    /// handshake failed.
    awaitable<bool> run(const http_request& request);

    void on_started(std::weak_ptr<voice_session> session) override;
    void on_refused(voice_caller caller, voice_error why) override;
    void send(std::string text) override;
    void close(voice_close why) override;
    /// The gateway stops: closes a socket without a session. Sessions close their own sockets.
    void drain();
    /// Closes the socket without a closing handshake.
    void close_hard();

 private:
    awaitable<bool> accept(const http_request& request);
    awaitable<bool> read_message();
    void handle_message();
    void give_up(const voice_socket_watchdog::closing& why);
    void detach_session();
    void run_watchdog();
    void ping();

    void write_next();
    void written(boost::system::error_code ec);
    void begin_close();
    void set_write_deadline(duration limit);
    void set_message_deadline();
    template <class Condition>
    awaitable<void> wait_until_true(Condition is_so);
    bool is_connected() const noexcept { return stream_.next_layer().socket().is_open(); }
    bool is_finishing() const noexcept { return is_writing_ || (is_closing_ && !is_closed_); }

    std::shared_ptr<gateway_core> core_;
    boost::beast::websocket::stream<client_stream> stream_;
    std::optional<voice_caller> caller_;  // empty while a session exists or is requested
    voice_socket_watchdog line_;
    voice_socket number_;
    std::weak_ptr<voice_session> session_;
    boost::beast::flat_buffer buffer_;
    std::deque<std::string> out_;  // the front is being written
    std::optional<voice_close> close_;
    boost::asio::steady_timer look_;     // checks the line
    boost::asio::steady_timer writing_;  // timeout of a write or the closing handshake
    boost::asio::steady_timer reading_;  // timeout of a message
    boost::asio::steady_timer wake_;     // wakes run() when another handler changes the state
    bool is_open_ = false;
    bool is_writing_ = false;
    bool is_pinging_ = false;
    bool is_closing_ = false;
    bool is_closed_ = false;
};

}  // namespace tandem::gateway
