#pragma once

#include "probe/doctor_facts.hpp"

#include <vector>

namespace tandem::command {

/// The median of each figure over the rounds that have it. Of an even number the lower one of the
/// two in the middle, so that it is one that was seen.
doctor_round median_of(const std::vector<doctor_round>& rounds);

}  // namespace tandem::command
