#pragma once

#include "simulation/caller_crowd.hpp"

#include <cstdint>

namespace tandem::test {

/// The yardstick for a crowd: an earliest-deadline queue that may stop and resume each reply at any
/// token, changes the conversation in a slot in no time, and knows the voice's pace. It uses the
/// crowd's slots, speeds and prompt_time; guard and pacing do not apply.
crowd_report run_ideal_queue(const crowd_rules& rules, std::uint64_t seed);

}  // namespace tandem::test
