#pragma once

#include "base/time.hpp"

#include <chrono>
#include <cstddef>

namespace tandem::cluster {

/// Bounds the texts that a gateway writes to the store, so that they do not displace the store's
/// other data. Pure.
class write_budget {
 public:
    static constexpr std::size_t max_bytes = std::size_t{1} << 20;
    static constexpr std::size_t max_bytes_per_minute = std::size_t{64} << 20;

    /// Whether a text of this size may be written now.
    bool has_room(time_point now, std::size_t bytes) const noexcept {
        const std::size_t used = is_minute_over(now) ? 0 : used_;
        return bytes <= max_bytes && used + bytes <= max_bytes_per_minute;
    }
    /// Like has_room(), but also counts the text if there is room.
    bool spend_if_room(time_point now, std::size_t bytes) noexcept {
        if (!has_room(now, bytes)) return false;
        if (is_minute_over(now)) {
            minute_ = now;
            used_ = 0;
        }
        used_ += bytes;
        return true;
    }

 private:
    bool is_minute_over(time_point now) const noexcept {
        return now - minute_ >= std::chrono::minutes(1);
    }

    time_point minute_{};  // begins here
    std::size_t used_ = 0;
};

}  // namespace tandem::cluster
