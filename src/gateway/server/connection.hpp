#pragma once

#include "gateway/access/routes.hpp"
#include "gateway/http/client_stream.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>

#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tandem::gateway {

class message_socket;

/// A request, and the result of checking its head.
struct checked_request {
    time_point began;
    admission who;
    /// Whether the end of the request's body is known.
    bool is_framed = true;
    /// nullopt if no route matches.
    std::optional<matched_route> found{};
    http_request request{};

    /// Why the request is rejected; nullptr if it is admitted.
    const api_error* refusal() const noexcept { return std::get_if<api_error>(&who); }
    /// Rejects the request with this error; the audit log still names the request's key.
    void refuse(api_error why) {
        if (const auto* const admittance = std::get_if<admitted_request>(&who))
            why.key_name = admittance->key_name();
        else if (const auto* const earlier = refusal())
            why.key_name = earlier->key_name;
        who = std::move(why);
    }
    std::string_view route_path() const noexcept { return found ? found->route->path : ""; }
};

/// A client connection: reads requests one at a time, checks them, and dispatches them.
class connection : public std::enable_shared_from_this<connection> {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    connection(boost::asio::ip::tcp::socket socket, std::shared_ptr<gateway_core> core);
    ~connection();

    /// Serves requests until the client disconnects or the protocol changes.
    void start();
    /// Whether a stopping gateway waits for this connection to end. False for a connection that
    /// opens during the stop: it serves only probes, and is closed when the last earlier connection
    /// has ended.
    bool delays_stop() const noexcept { return delays_stop_; }
    /// Closes the connection immediately if it is idle, otherwise after the response.
    void close_when_idle();
    /// Closes the connection. A WebSocket interrupts the running reply and sends its end first.
    void abort_requests();
    void close();

 private:
    awaitable<void> run();
    void on_exception(const std::exception_ptr& why);
    awaitable<std::optional<checked_request>> read_request();
    checked_request check_head(const http_request& head);
    void set_read_deadline(duration limit);
    std::optional<api_error> make_read_error(const boost::system::error_code& ec,
                                             bool is_late) const;
    awaitable<boost::system::error_code> read_body(
        boost::beast::http::request_parser<boost::beast::http::string_body>& parser);
    awaitable<void> refuse_unread(checked_request refused);
    awaitable<bool> answer(checked_request checked);
    template <class Socket>
    awaitable<void> open_socket(http_exchange& exchange, std::optional<api_error> refusal,
                                admitted_request who);
    awaitable<void> serve_socket(http_exchange& exchange, std::shared_ptr<message_socket> socket);
    voice_caller make_voice_caller(const http_exchange& exchange, admitted_request who) const;
    awaitable<void> run_endpoint(http_exchange& exchange, const matched_route& found,
                                 admitted_request who);
    void add_origin_headers(http_exchange& exchange) const;
    std::string choose_request_id(const http_request& request);
    void record_request(const http_exchange& exchange, std::string_view key,
                        const checked_request& checked);

    std::shared_ptr<gateway_core> core_;
    client_stream stream_;
    boost::asio::steady_timer limit_;
    boost::beast::flat_buffer buffer_;
    std::string remote_;
    std::shared_ptr<message_socket> socket_;  // set after an upgrade
    bool is_reading_ = false;
    bool is_idle_ = true;  // no byte of a request has arrived
    bool is_late_ = false;
    bool is_first_ = true;
    const bool delays_stop_;
};

}  // namespace tandem::gateway
