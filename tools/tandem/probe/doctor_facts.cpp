#include "probe/doctor_facts.hpp"

#include "slots/server_build_faults.hpp"

#include <algorithm>

namespace tandem::command {

duration doctor_facts::reuse_guard() const {
    return settings.reuse_guard.value_or(slots::choose_reuse_guard(props.value.build_info));
}

// Matches the number of slots that a service leases.
int doctor_facts::slots_per_caller() const {
    return reuse_guard() > duration{} ? 2 : 1;
}

int doctor_facts::callers() const {
    const int total = props.value.total_slots;
    return std::max(1, std::min(total, settings.slots.value_or(total)) / slots_per_caller());
}

}  // namespace tandem::command
