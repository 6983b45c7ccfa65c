#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "reply/transcript/reply_transcript.hpp"
#include "transport/transport.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/completion_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::detail {

/// The parameters of a completion.
struct completion_params {
    prompt_view prompt;
    int slot = 0;
    /// Maximum number of tokens to generate; -1 = unbounded.
    int n_predict = -1;
    bool reuse_cache = true;
    /// From wire::encode_completion_settings().
    std::string_view settings;
};

std::string encode_body(const completion_params& order);

/// Runs requests to /completion one after the other: sends each one, reads its answer
/// incrementally, and reports its events. Destroying or closing the object cuts the request.
class completion_call : private transport::exchange_handler {
 public:
    /// Any handler may close the call; no handler is called afterwards.
    struct handlers {
        std::function<void()> begun;
        std::function<void(const wire::token_event&)> read;
        std::function<void(const failure&)> on_failed;
    };

    explicit completion_call(handlers h) : handlers_(std::move(h)) {}
    /// `owner` owns this object, and is kept alive while a handler runs. `traceparent` and `place`
    /// are as in http_request.
    void start(transport::http_transport& transport, std::string body,
               std::weak_ptr<const void> owner, std::string traceparent = {},
               std::optional<recorded_request_key> place = {});
    /// When the last request was sent.
    time_point sent_at() const noexcept { return sent_at_; }
    /// Cuts the request; the connection is closed when this returns.
    void close() noexcept { exchange_.reset(); }
    /// How long the running request took to connect, if known.
    std::optional<duration> connect_duration() const noexcept {
        return exchange_ ? exchange_->connect_duration() : std::nullopt;
    }

 private:
    void on_status(int http_status) override;
    void on_data(std::string_view bytes) override;
    void on_end(error_code ec, const diagnostics& diag) override;

    handlers handlers_;
    std::weak_ptr<const void> owner_;
    time_point sent_at_{};
    std::unique_ptr<transport::exchange> exchange_;
    wire::completion_reader reader_;
    wire::token_event event_;
};

}  // namespace tandem::detail
