#pragma once

namespace tandem::command {

/// Returns `value / divisor`, or 0 if the divisor is not positive.
template <class Value, class Divisor>
constexpr double ratio(Value value, Divisor divisor) noexcept {
    return divisor > 0 ? static_cast<double>(value) / static_cast<double>(divisor) : 0;
}

}  // namespace tandem::command
