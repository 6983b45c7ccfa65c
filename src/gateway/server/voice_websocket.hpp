#pragma once

#include "gateway/http/client_stream.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/voice_registry.hpp"
#include "gateway/voice/voice_line.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/stream.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Why a request is no upgrade that the voice WebSocket takes: 426, 400, or 503; nothing if it is.
std::optional<api_error> voice_refusal(const http_exchange& exchange, const gateway_core& core);

/// One voice WebSocket: reads its messages, one at a time, and writes answers, one at a time, in
/// their order. What does not get on within its time is cut off: a write within the gateway's
/// write_timeout, a message that was begun within read_timeout, the opening and the closing
/// handshake within 5 s. On the loop of its connection.
class voice_websocket final : public voice_outlet,
                              public std::enable_shared_from_this<voice_websocket> {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    voice_websocket(client_stream stream, std::shared_ptr<gateway_core> core, voice_caller caller);
    ~voice_websocket();
    voice_websocket(const voice_websocket&) = delete;
    voice_websocket& operator=(const voice_websocket&) = delete;

    /// Answers the upgrade, and serves the client until the socket is closed. False if there was
    /// no handshake.
    awaitable<bool> run(const http_request& request);

    void started(std::weak_ptr<voice_session> session) override;
    void refused(voice_caller caller, voice_error why) override;
    void send(std::string text) override;
    void close(voice_close why) override;
    /// The gateway stops: closes it if it has no session, which closes it otherwise.
    void drain();
    /// Without a handshake.
    void kill();

 private:
    awaitable<bool> accept(const http_request& request);
    awaitable<bool> read_message();
    void take_message();
    void give_up(const voice_line::closing& why);
    void leave();
    void watch_line();
    void ping();

    void write_next();
    void written(boost::system::error_code ec);
    void begin_close();
    void limit_writing(duration limit);
    void limit_message();
    template <class Condition>
    awaitable<void> until(Condition is_so);
    bool is_connected() const noexcept { return stream_.next_layer().socket().is_open(); }
    bool is_finishing() const noexcept { return is_writing_ || (is_closing_ && !is_closed_); }

    std::shared_ptr<gateway_core> core_;
    boost::beast::websocket::stream<client_stream> stream_;
    std::optional<voice_caller> caller_;  // unless it has a session, or asks for one
    voice_line line_;
    voice_socket number_;
    std::weak_ptr<voice_session> session_;
    boost::beast::flat_buffer buffer_;
    std::deque<std::string> out_;  // the first one is being written
    std::optional<voice_close> close_;
    boost::asio::steady_timer look_;     // at the line
    boost::asio::steady_timer writing_;  // the limit of a write, and of the closing handshake
    boost::asio::steady_timer reading_;  // the limit of a message
    boost::asio::steady_timer wake_;     // run() waits for what the others do
    bool is_open_ = false;
    bool is_writing_ = false;
    bool is_pinging_ = false;
    bool is_closing_ = false;
    bool is_closed_ = false;
};

}  // namespace tandem::gateway
