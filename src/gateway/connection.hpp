#pragma once

#include "gateway/gateway_core.hpp"
#include "gateway/http_exchange.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

#include <memory>
#include <optional>
#include <string>

namespace tandem::gateway {

class voice_websocket;

/// One connection of a client: reads its requests, one at a time, checks each, and has it answered.
class connection : public std::enable_shared_from_this<connection> {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<gateway_core> core);
    ~connection();

    /// Until the client goes, or stops to talk HTTP.
    void start();
    /// At once where no request runs, else behind its answer.
    void close_when_idle();
    /// All but a WebSocket, which its session closes.
    void cut_short();
    void close();

 private:
    awaitable<void> run();
    awaitable<std::optional<http_request>> read_request();
    void limit_reading(duration limit);
    std::optional<api_error> error_of_reading(const boost::system::error_code& ec,
                                              bool is_late) const;
    awaitable<void> refuse_unread(const api_error& error);
    awaitable<bool> answer(http_request request);
    awaitable<void> answer_voice(http_exchange& exchange, admitted who);
    awaitable<void> dispatch(http_exchange& exchange, const found_route& found, admitted who);
    std::string id_of(const http_request& request);
    void audit(const http_exchange& exchange, std::string_view key, std::string_view route,
               time_point began);

    std::shared_ptr<gateway_core> core_;
    boost::beast::tcp_stream stream_;
    boost::asio::steady_timer limit_;
    boost::beast::flat_buffer buffer_;
    std::string remote_;
    std::shared_ptr<voice_websocket> voice_;  // that it became
    bool is_reading_ = false;
    bool is_late_ = false;
    bool is_first_ = true;
};

}  // namespace tandem::gateway
