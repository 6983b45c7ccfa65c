#include "probe/doctor_facts.hpp"

#include "slots/server_build_faults.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::command {

duration doctor_facts::reuse_guard() const {
    return settings.reuse_guard.value_or(slots::choose_reuse_guard(props.value.build_info));
}

bool doctor_facts::is_slower_than_speech() const {
    return has_speed() && measured.value.median.tokens_per_second < speech_tokens_per_second;
}

// A slot generates about 8 s of speech for a caller, then rests for the guard. Prompts and changes
// of conversation take about a third of its time.
int doctor_facts::callers() const {
    constexpr double speech_s = 8;
    constexpr double share_of_generation = 2.0 / 3;
    const int total = props.value.total_slots;
    const int usable = std::min(total, settings.slots.value_or(total));
    const int with_own_slots = std::max(1, usable / slots_per_caller());
    if (is_slower_than_speech()) return 0;
    if (!has_speed()) return with_own_slots;
    const double run_s =
        speech_s * speech_tokens_per_second / measured.value.median.tokens_per_second;
    const double guard_s = std::chrono::duration<double>(reuse_guard()).count();
    const double callers = usable * speech_s / (run_s + guard_s) * share_of_generation;
    return std::max(with_own_slots, static_cast<int>(callers));
}

}  // namespace tandem::command
