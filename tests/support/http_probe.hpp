#pragma once

#include "support/reply_runner.hpp"
#include "transport/transport.hpp"
#include "wire/stream/sse_parser.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Raw requests to a llama-server, without the client library.
namespace tandem::testing {

using nlohmann::json;

/// One answer, as far as it has arrived.
class running_answer final : private transport::exchange_handler {
 public:
    running_answer() = default;
    running_answer(const running_answer&) = delete;
    running_answer& operator=(const running_answer&) = delete;

    int status() const noexcept { return status_; }
    const std::string& body() const noexcept { return body_; }
    /// The body as JSON; a discarded value if the body is not valid JSON.
    json parsed() const { return json::parse(body_, nullptr, false); }

    /// The events of a stream.
    const std::vector<json>& events() const noexcept { return events_; }
    const json& final_event() const { return events_.back(); }
    /// The text of all events.
    std::string text() const;

    bool ended() const noexcept { return ended_; }
    error_code error() const noexcept { return error_; }
    /// Closes the connection.
    void cut() { exchange_.reset(); }

    /// Called when the status arrives.
    std::function<void()> when_begun;

 private:
    friend class http_probe;
    void on_status(int http_status) override;
    void on_data(std::string_view bytes) override;
    void on_end(error_code ec, const diagnostics& diag) override;

    int status_ = 0;
    std::string body_;
    wire::sse_parser parser_;
    std::vector<json> events_;
    error_code error_;
    bool ended_ = false;
    std::unique_ptr<transport::exchange> exchange_;
};

/// Sends requests to one server. The probe must outlive its answers.
class http_probe {
 public:
    explicit http_probe(const std::string& url, const std::string& api_key = {});
    ~http_probe();

    /// Sends a request and waits for the whole answer.
    std::unique_ptr<running_answer> get(const std::string& path);
    std::unique_ptr<running_answer> post(const std::string& path, const json& body);
    std::unique_ptr<running_answer> post_text(const std::string& path, const std::string& body);

    /// Sends a request to /completion and returns without waiting.
    std::unique_ptr<running_answer> start(const json& body);
    /// Sends a request to /completion and waits for the end of the stream.
    std::unique_ptr<running_answer> complete(const json& body);

    bool wait_for_events(const running_answer& a, std::size_t count);
    bool wait_for_end(const running_answer& a);
    bool wait_until(const std::function<bool()>& condition) { return loop_.run_until(condition); }

 private:
    std::unique_ptr<running_answer> send(transport::http_request request);
    std::unique_ptr<running_answer> send_and_wait(transport::http_request request);

    reply_runner loop_;
    std::unique_ptr<transport::http_transport> transport_;
};

}  // namespace tandem::testing
