#pragma once

#include "simulation/caller_crowd.hpp"

#include <cstdint>

namespace tandem::test {

/// The ideal to which a crowd is compared: an earliest-deadline queue that may stop and resume each
/// reply at any token, changes a slot's conversation in no time, and knows the voice's pace. It
/// uses the crowd's slots, speeds and prompt_time, but neither guard nor pacing.
crowd_report run_ideal_queue(const crowd_rules& rules, std::uint64_t seed);

}  // namespace tandem::test
