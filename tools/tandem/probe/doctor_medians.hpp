#pragma once

#include "probe/doctor_facts.hpp"

#include <vector>

namespace tandem::command {

/// Returns the median of each figure over the rounds that measured it. For an even count, returns
/// the lower of the middle two, so that the result is a measured value.
doctor_round compute_medians(const std::vector<doctor_round>& rounds);

}  // namespace tandem::command
