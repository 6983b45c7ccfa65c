#pragma once

#include "tandem/duration.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Tells from the chunks so far how long the reuse guard holds the next request back, in a run of
/// one reply at a time. For the eye only: the library decides by itself.
class guard_forecast {
 public:
    using time_point = std::chrono::steady_clock::time_point;

    /// 0 slots: all that the server has. No guard: as the server's build allows.
    guard_forecast(int slots, std::optional<duration> reuse_guard);

    /// The server has no more slots than that, if it has any, and is of this build.
    void server_is(int slots, std::string_view build_info);
    /// A request on this slot has ended; -1 is no slot.
    void used(int slot, time_point now);
    /// 0 if a slot is free now.
    duration left(time_point now) const;

 private:
    bool is_auto_;
    bool uses_all_;
    duration reuse_guard_;
    std::vector<time_point> free_at_;
};

}  // namespace tandem::command
