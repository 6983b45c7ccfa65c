#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tandem::slots {

/// The share of their lead that continuations lose while they wait for a slot. This share shows how
/// close a server is to its limit. Busy slots and the token rate are poorer indicators: with more
/// listeners, each request waits longer and then generates more, so the slots are busy long before
/// any listener notices a delay. Pure.
class lead_loss {
 public:
    /// Records that a continuation waited this long for a slot. When it was requested, its listener
    /// still had `lead` of speech to hear. A request without a lead is ignored.
    void record_wait(duration lead, duration waited, time_point now) {
        if (lead <= duration{}) return;
        const double lost = compute_loss(lead, waited);
        constexpr double weight = 1.0 / 32;
        average_ =
            average_ && now - last_ < valid_for ? *average_ + weight * (lost - *average_) : lost;
        last_ = now;
    }
    /// 0: continuations get a slot immediately. 1: when they get a slot, their listeners have
    /// nothing left to hear. nullopt if no wait was recorded recently.
    std::optional<double> find_average_loss(time_point now) const {
        return now - last_ < valid_for ? average_ : std::nullopt;
    }
    /// The part of the lead that is lost in a wait. `lead` must be positive.
    static double compute_loss(duration lead, duration waited) {
        return std::min(1.0, to_seconds(waited) / to_seconds(lead));
    }

 private:
    static constexpr duration valid_for = std::chrono::seconds(5);

    std::optional<double> average_{};
    time_point last_{};
};

}  // namespace tandem::slots
