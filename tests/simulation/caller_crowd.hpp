#pragma once

#include "reply/machine/reply_machine.hpp"
#include "simulation/simulated_world.hpp"
#include "slots/slot_scheduler.hpp"

#include <cstddef>
#include <vector>

namespace tandem::test {

/// The callers of one server, each of whom asks again as soon as the reply has been spoken.
struct crowd_rules {
    int callers = 64;
    int slots = 8;
    /// The maximum tokens/s of one reply, and of all running replies together.
    double speed = 40;
    double total_speed = 320;
    /// The time to evaluate a turn's own words, and the time to move a conversation into another
    /// slot.
    duration prompt_time = std::chrono::milliseconds(30);
    duration change_time = std::chrono::milliseconds(20);
    /// Whether prompts and moves hold up all slots, as on llama-server, or only their own request.
    bool prompts_hold_up_all = true;
    duration guard{};
    pacing mode = pacing::automatic;
    /// The speed of the voice as a multiple of 170 words a minute.
    double voice_speed = 1;
    /// The share of the turns in which the caller interrupts the second chunk.
    double interrupts = 0;
    duration pause_between_turns{};
    duration length = std::chrono::seconds(120);
};

/// What the callers of a crowd experienced.
struct crowd_report {
    std::vector<double> first_chunk_ms;
    std::vector<double> gap_ms;
    int failed = 0;
    int turns = 0;
    int generated = 0;  // tokens
    int heard = 0;      // tokens of chunks that were spoken at least in part
    int changes = 0;    // how often a slot passed to another conversation

    static double percentile(std::vector<double> values, double share);
};

/// Runs the callers with the real scheduler and reply machine, in simulated time.
crowd_report run_crowd(const crowd_rules& rules, std::uint64_t seed);

}  // namespace tandem::test
