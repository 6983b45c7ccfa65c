#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Limits of keys that apply to all gateways of a cluster together. Use it on the gateway's loop.
class shared_limits {
 public:
    /// A request for a reply, with the limits of its key and the key's usage as this gateway knows
    /// it.
    struct limit_query {
        std::string key{};
        // The key's limits; 0 = no limit.
        std::int64_t requests_per_minute = 0;
        std::int64_t tokens_per_minute = 0;
        std::int64_t concurrent = 0;
        /// Running replies of the key on this gateway, including this one.
        std::int64_t running = 0;
        /// See rate_limit::time_until_full().
        duration requests_time_until_full{};
        duration tokens_time_until_full{};
        /// Whether the store may lack usage that the gateways have counted.
        bool is_doubtful = false;
    };
    struct verdict {
        bool is_admitted = false;
        // The usage over all gateways.
        duration requests_time_until_full{};
        duration tokens_time_until_full{};
        /// Running replies of the key on the other gateways; 0 if the key has no limit on running
        /// replies.
        std::int64_t running_elsewhere = 0;
    };
    /// The tokens of a reply that has ended, and the number of replies that still run.
    struct usage_report {
        std::string key{};
        /// Running replies of the key on this gateway; nullopt if the key has no limit on running
        /// replies.
        std::optional<std::int64_t> running{};
        /// 0 = no limit.
        std::int64_t tokens_per_minute = 0;
        std::int64_t tokens = 0;
    };
    // A handler is called once, after the function that takes it has returned, but not if the
    // gateway is closed first.
    using verdict_handler = std::function<void(time_point now, const std::optional<verdict>&)>;
    using report_handler = std::function<void(time_point now, bool is_known)>;

    virtual ~shared_limits() = default;
    /// Decides whether the request is admitted, and counts it if it is. The verdict is nullopt if
    /// the store does not answer.
    virtual void request_verdict(const limit_query& q, verdict_handler done) = 0;
    /// Records the usage. `is_known` is whether the store has confirmed this.
    virtual void report_usage(const usage_report& s, report_handler done) = 0;
    /// Number of gateways in the cluster when the store last answered; at least 1.
    virtual std::int64_t count_members() const = 0;
};

}  // namespace tandem::gateway
