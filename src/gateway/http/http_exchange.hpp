#pragma once

#include "gateway/http/client_stream.hpp"
#include "gateway/http/disconnect_watch.hpp"
#include "gateway/http/page_file.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/telemetry/audit_line.hpp"

#include "tandem/duration.hpp"

#include <boost/asio/awaitable.hpp>
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

/// One request of a connection, and its answer: whole, or as a stream of events. Where the client
/// is gone, writing does nothing. Lives on the loop of its connection, in whose coroutine it is
/// made.
class http_exchange {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    http_exchange(client_stream& stream, http_request request, std::string id,
                  duration write_timeout);

    const http_request& request() const noexcept { return request_; }
    std::string_view body() const noexcept { return request_.body(); }
    std::string_view header(std::string_view name) const;
    /// W3C's, well-formed; empty if there is none, or more than one.
    std::string_view traceparent() const;
    /// Names it in logs, and in the answer's X-Request-Id.
    const std::string& id() const noexcept { return id_; }

    /// Goes with the answer, whatever that is. Both are a literal's.
    void set_header(std::string_view name, std::string_view value) {
        extra_.emplace_back(name, value);
    }
    awaitable<void> send(int status, std::string body,
                         std::string_view content_type = "application/json");
    /// With headers of its own, which take the place of the usual ones.
    awaitable<void> send(int status, std::string body, std::string_view content_type,
                         std::span<const header_field> headers);
    awaitable<void> send(const api_error& error);

    // A stream of events: begin, any number of writes, end. A missing end shows the client that the
    // answer is not whole.
    awaitable<void> begin_stream();
    awaitable<void> write(std::string_view bytes);
    awaitable<void> end_stream();

    /// Calls it once, as soon as the client has closed the connection.
    void when_gone(std::function<void()> told);
    bool is_gone() const noexcept { return is_gone_; }

    /// What is remembered of it; the connection knows the rest.
    audit_record record{};
    /// Of the answer that was begun; 0 before.
    int status() const noexcept { return status_; }
    /// The connection can have another request.
    bool may_go_on() const noexcept { return may_go_on_ && !is_gone_; }
    /// The last answer of its connection.
    void close_after() noexcept { may_go_on_ = false; }
    /// It was answered elsewhere, with this status: the connection talks no HTTP any more.
    void handed_over(int status) noexcept {
        status_ = status;
        close_after();
    }

 private:
    template <class Message>
    awaitable<void> put(Message& message);
    template <class Message>
    void set_head(Message& message) const;
    void gone();

    client_stream& stream_;
    http_request request_;
    std::string id_;
    duration write_timeout_;
    disconnect_watch watch_;
    std::function<void()> when_gone_;
    std::vector<std::pair<std::string_view, std::string_view>> extra_;
    int status_ = 0;
    bool may_go_on_;
    bool is_gone_ = false;
};

}  // namespace tandem::gateway
