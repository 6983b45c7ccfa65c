// The time that the scheduler takes to grant and release a slot, by the number of slots, by the
// length of the compared prompts, and by the number of waiting tickets.

#include "slots/slot_scheduler.hpp"

#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace {

namespace slots = tandem::slots;
using namespace std::chrono_literals;

// The prompt of a dialogue. All prompts have the same beginning, and then differ.
std::string prompt_of(std::size_t bytes, slots::owner_id owner) {
    auto text = std::string(bytes / 2, 's') + std::to_string(owner);
    text.resize(bytes, 'u');
    return text;
}

// The arguments are the number of slots and the bytes of a prompt. Each slot has an owner that
// requests it repeatedly.
void grant_and_release(benchmark::State& state) {
    const auto count = static_cast<int>(state.range(0));
    const auto bytes = static_cast<std::size_t>(state.range(1));
    slots::slot_scheduler scheduler(count, 0s);
    tandem::time_point now{1h};
    slots::owner_id owner = 0;
    for (auto _ : state) {
        owner = owner % static_cast<slots::owner_id>(count) + 1;
        now += 1ms;
        const auto prompt = prompt_of(bytes, owner);
        scheduler.request({.prompt = prompt, .owner = owner});
        for (const auto& g : scheduler.take_grants(now))
            scheduler.release(g.slot, now, {.holds = prompt});
        scheduler.release_owner(owner);
    }
}

// The argument is the number of tickets that wait for the only slot.
void grant_with_others_waiting(benchmark::State& state) {
    slots::slot_scheduler scheduler(1, 0s);
    tandem::time_point now{1h};
    slots::owner_id owner = 0;
    const auto ask = [&] { scheduler.request({.prompt = "a prompt", .owner = ++owner}); };
    for (std::int64_t i = 0; i < state.range(0); ++i) ask();
    for (auto _ : state) {
        ask();
        now += 1ms;
        for (const auto& g : scheduler.take_grants(now)) {
            scheduler.release(g.slot, now, {.holds = "a prompt"});
            scheduler.release_owner(static_cast<slots::owner_id>(g.ticket));
        }
    }
}

BENCHMARK(grant_and_release)->ArgsProduct({{2, 16, 64}, {200, 20'000}});
BENCHMARK(grant_with_others_waiting)->Arg(0)->Arg(10)->Arg(200);

}  // namespace
