#pragma once

#include "gateway/http/answer_client.hpp"
#include "gateway/http/client_stream.hpp"
#include "gateway/http/disconnect_watch.hpp"
#include "gateway/http/page_file.hpp"
#include "gateway/json/api_error.hpp"

#include "tandem/duration.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::gateway {

using http_request = boost::beast::http::request<boost::beast::http::string_body>;

inline std::string_view to_string_view(boost::beast::string_view text) {
    return {text.data(), text.size()};
}
inline boost::beast::string_view to_beast_view(std::string_view text) {
    return {text.data(), text.size()};
}

/// One request on a connection, and its response: a single body or an event stream. If the client
/// has disconnected, writes do nothing. Created in the coroutine of its connection, and used on the
/// same loop.
class http_exchange final : public answer_client {
 public:
    http_exchange(client_stream& stream, http_request request, std::string id,
                  duration write_timeout);

    const http_request& request() const noexcept { return request_; }
    std::string_view body() const noexcept { return request_.body(); }
    std::string_view header(std::string_view name) const;
    std::string_view traceparent() const override;
    /// Identifies the request in logs and in the response's X-Request-Id.
    const std::string& id() const noexcept { return id_; }

    /// Adds a header to any response. Both arguments must outlive this object, as literals and
    /// headers of the request do.
    void set_header(std::string_view name, std::string_view value) {
        extra_.emplace_back(name, value);
    }
    /// Additional headers replace default headers of the same name.
    awaitable<void> send(int status, std::string body,
                         std::string_view content_type = "application/json",
                         std::span<const header_field> headers = {});
    awaitable<void> send(const api_error& error) override;

    awaitable<void> begin_stream() override;
    awaitable<void> write(std::string_view bytes) override;
    awaitable<void> end_stream() override;

    void on_disconnect(std::function<void()> handler) override;

    /// Status of the response; 0 until the response begins, or if the client disconnects first.
    int status() const noexcept { return status_; }
    /// Whether the connection may carry another request.
    bool can_keep_alive() const noexcept { return may_go_on_ && !is_disconnected_; }
    void close_after_answer() noexcept { may_go_on_ = false; }
    /// Call this when another protocol takes over the connection after a response with this status.
    void mark_upgraded(int status) noexcept {
        status_ = status;
        close_after_answer();
    }

 private:
    template <class Message>
    awaitable<void> write_message(Message& message);
    template <class Message>
    void set_head(Message& message) const;
    void on_client_gone();

    client_stream& stream_;
    http_request request_;
    std::string id_;
    duration write_timeout_;
    disconnect_watch watch_;
    std::function<void()> on_disconnect_;
    std::vector<std::pair<std::string_view, std::string_view>> extra_;
    int status_ = 0;
    bool may_go_on_;
    bool is_disconnected_ = false;
};

}  // namespace tandem::gateway
