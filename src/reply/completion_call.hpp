#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "reply/machine/continuation.hpp"
#include "transport/transport.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/completion_reader.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::detail {

/// How a prompt is to be completed.
struct completion_order {
    prompt_view prompt;
    int slot = 0;
    /// Tokens to generate at most; -1 = no bound.
    int n_predict = -1;
    bool reuse_cache = true;
    /// From wire::completion_settings().
    std::string_view settings;
};

std::string body_of(const completion_order& order);

/// One request to /completion after the other: sends it, reads its answer as it comes, and reports
/// what it says. Destroying or closing it is the cut.
class completion_call : private transport::exchange_handler {
 public:
    /// Any of them may close the call. None is called after that.
    struct handlers {
        std::function<void()> begun;
        std::function<void(const wire::token_event&)> read;
        std::function<void(const failure&)> failed;
    };

    explicit completion_call(handlers h) : handlers_(std::move(h)) {}
    /// `owner` owns this object, and is kept alive while a handler runs. `traceparent` and `place`
    /// are as in http_request.
    void start(transport::http_transport& transport, std::string body,
               std::weak_ptr<const void> owner, std::string traceparent = {},
               std::optional<reply_place> place = {});
    /// When the last request was sent.
    time_point sent_at() const noexcept { return sent_at_; }
    /// The connection is closed when this returns.
    void close() noexcept { exchange_.reset(); }
    /// How long the connection took of the request that has begun, if that is known.
    std::optional<duration> connected_after() const noexcept {
        return exchange_ ? exchange_->connected_after() : std::nullopt;
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
