#pragma once

#include "base/time.hpp"

#include <chrono>

namespace tandem::gateway {

/// Proxies and clients close idle streams, often after a minute.
inline constexpr duration keep_alive_interval = std::chrono::seconds(10);

/// Decides when an idle stream needs a keep-alive comment. The caller asks only on events from the
/// server, so keep-alives stop when the server hangs. Pure.
class keep_alive_policy {
 public:
    explicit keep_alive_policy(time_point began) noexcept : last_sent_(began) {}

    void record_send(time_point now) noexcept { last_sent_ = now; }
    /// Call on each server event that produces no output.
    bool is_keep_alive_due(time_point now) const noexcept {
        return now - last_sent_ >= keep_alive_interval;
    }

 private:
    time_point last_sent_;
};

}  // namespace tandem::gateway
