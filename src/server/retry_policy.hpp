#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"

#include "tandem/error.hpp"

#include <cstdint>
#include <optional>

namespace tandem::detail {

/// What a failure shows about a server.
enum class failure_kind {
    final,   ///< the same request would fail again on any server
    broken,  ///< the server received the request but did not complete it
    away,    ///< no server currently accepts requests at that address, so waiting may help
};

/// Classifies a reply's failure. `has_read`: the server had answered with text, so it is a
/// llama-server, and an unreadable answer means corrupted data.
failure_kind classify_failure(const error_code& ec, bool has_read) noexcept;
/// Like the other overload, but a proxy's answer of 502, 503 or 504 means that the server behind
/// the proxy is away.
failure_kind classify_failure(const failure& why, bool has_read) noexcept;

/// Whether no connection was established.
bool is_connect_error(const error_code& ec) noexcept;

/// How often and for how long a reply retries after its server failed.
struct retry_limits {
    /// Consecutive failures without new text after which the reply gives up; 0 = never retry.
    int retries = 0;
    /// How long the listener may wait between the failure and the start of the next request on a
    /// server.
    duration resume_within = std::chrono::seconds(3);
};

/// Decides whether and when a reply continues after its server failed. The first try is immediate,
/// because another server may be available. Further tries follow after growing, jittered pauses, so
/// that replies which lost the same server do not all retry at the same moment. Pure.
class retry_policy {
 public:
    /// `seed` determines the jitter.
    retry_policy(retry_limits rules, std::uint64_t seed) : rules_(rules), seed_(seed) {}

    /// A server failed. Returns false if the reply must end.
    bool record_failure(time_point now, failure_kind what) noexcept;
    /// A server has started the request, so the time limit no longer applies.
    void on_started() noexcept { since_.reset(); }
    /// New text arrived: all counters are reset.
    void on_progress() noexcept;

    /// Whether the reply ends with the next failed request.
    bool is_last_attempt() const noexcept { return broken_ >= rules_.retries; }
    /// Start of the retries; nullopt if the reply is not retrying.
    const std::optional<time_point>& retrying_since() const noexcept { return since_; }
    /// When to request the next server.
    time_point next_attempt_at() const noexcept { return next_try_; }
    /// When to give up for a listener who has been waiting since `listener_waits_since`.
    /// Precondition: retrying_since() has a value.
    time_point give_up_deadline(time_point listener_waits_since) const noexcept;
    const retry_limits& rules() const noexcept { return rules_; }

 private:
    duration pause() const noexcept;

    retry_limits rules_;
    std::uint64_t seed_;
    std::optional<time_point> since_;
    time_point next_try_{};
    int broken_ = 0;  // consecutive requests
    int tries_ = 0;   // consecutive, of any kind
};

}  // namespace tandem::detail
