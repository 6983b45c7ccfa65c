#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tandem::testing {

/// The value that this share of all values does not exceed: 0.5 gives the median. Reorders the
/// values. Returns 0 if there are no values.
inline double percentile(std::vector<double>& values, double share) {
    if (values.empty()) return 0;
    const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at),
                     values.end());
    return values[at];
}

}  // namespace tandem::testing
