#include "probe/doctor_facts.hpp"

#include "slots/server_builds.hpp"

#include <algorithm>

namespace tandem::command {

duration doctor_facts::reuse_guard() const {
    return wishes.reuse_guard.value_or(slots::safe_reuse_guard(props.value.build_info));
}

// As a service leases them.
int doctor_facts::slots_per_caller() const {
    return reuse_guard() > duration{} ? 2 : 1;
}

int doctor_facts::callers() const {
    const int total = props.value.total_slots;
    return std::max(1, std::min(total, wishes.slots.value_or(total)) / slots_per_caller());
}

}  // namespace tandem::command
