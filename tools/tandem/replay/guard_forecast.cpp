#include "replay/guard_forecast.hpp"

#include "slots/server_build_faults.hpp"

#include <algorithm>

namespace tandem::command {

// Until set_server() is called, assumes the guard for an unknown build, unless `reuse_guard` is
// set.
guard_forecast::guard_forecast(int slots, std::optional<duration> reuse_guard)
    : is_auto_(!reuse_guard),
      uses_all_(slots == 0),
      reuse_guard_(reuse_guard.value_or(slots::choose_reuse_guard({}))),
      free_at_(static_cast<std::size_t>(std::max(slots, 1)), time_point::min()) {}

void guard_forecast::set_server(int slots, std::string_view build_info) {
    if (is_auto_) reuse_guard_ = slots::choose_reuse_guard(build_info);
    const auto there = static_cast<std::size_t>(std::max(slots, 1));
    if (slots > 0 && (uses_all_ || there < free_at_.size()))
        free_at_.resize(there, time_point::min());
}

void guard_forecast::record_use(int slot, time_point now) {
    if (slot >= 0 && static_cast<std::size_t>(slot) < free_at_.size())
        free_at_[static_cast<std::size_t>(slot)] = now + reuse_guard_;
}

duration guard_forecast::remaining_delay(time_point now) const {
    const auto first = *std::ranges::min_element(free_at_);
    return first > now ? first - now : duration{};
}

}  // namespace tandem::command
