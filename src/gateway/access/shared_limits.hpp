#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tandem::gateway {

/// Limits of keys that hold over all gateways of a cluster. Use it on the gateway's loop.
class shared_limits {
 public:
    /// A request of a key, and what this gateway knows of the key's usage.
    struct question {
        std::string key{};
        // Limits that the request counts against; 0 = none.
        std::int64_t requests_per_minute = 0;
        std::int64_t tokens_per_minute = 0;
        std::int64_t concurrent = 0;
        /// Running replies of the key on this gateway, with this one.
        std::int64_t running = 0;
        /// See rate_limit::debt().
        duration requests_debt{};
        duration tokens_debt{};
        /// The gateways may know of more usage than the store.
        bool is_doubtful = false;
    };
    struct verdict {
        bool is_admitted = false;
        // The usage over all gateways.
        duration requests_debt{};
        duration tokens_debt{};
        /// Running replies of the key on the other gateways; 0 without a limit of them.
        std::int64_t running_elsewhere = 0;
    };
    /// What a reply has used, and what still runs.
    struct settlement {
        std::string key{};
        /// Nullopt without a limit of them.
        std::optional<std::int64_t> running{};
        /// 0 = no limit.
        std::int64_t tokens_per_minute = 0;
        std::int64_t tokens = 0;
    };
    // Called once, never from within the call; not at all if the gateway is closed before.
    using verdict_handler = std::function<void(time_point now, const std::optional<verdict>&)>;
    using settled_handler = std::function<void(time_point now, bool is_known)>;

    virtual ~shared_limits() = default;
    /// Admits the request and counts it, or does not; nullopt if nobody can tell.
    virtual void ask(const question& q, verdict_handler done) = 0;
    /// `is_known` is false if it was perhaps not recorded.
    virtual void settle(const settlement& s, settled_handler done) = 0;
    /// Number of gateways, as last known; at least 1.
    virtual std::int64_t count_members() const = 0;
};

}  // namespace tandem::gateway
