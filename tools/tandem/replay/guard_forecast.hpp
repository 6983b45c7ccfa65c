#pragma once

#include "tandem/duration.hpp"

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Estimates how long the reuse guard delays the next request of a run with one reply at a time.
/// Only for display; the library decides independently.
class guard_forecast {
 public:
    using time_point = std::chrono::steady_clock::time_point;

    /// 0 slots = all slots of the server. Without `reuse_guard`, the guard depends on the build of
    /// the server.
    guard_forecast(int slots, std::optional<duration> reuse_guard);

    /// Call this once the server has answered. `slots`: the number of slots of the server, of which
    /// the run uses no more; 0 = unknown.
    void set_server(int slots, std::string_view build_info);
    /// A request on this slot has ended; -1 = no slot.
    void record_use(int slot, time_point now);
    /// Returns the remaining delay; 0 if a slot is free.
    duration remaining_delay(time_point now) const;

 private:
    bool is_auto_;
    bool uses_all_;
    duration reuse_guard_;
    std::vector<time_point> free_at_;
};

}  // namespace tandem::command
