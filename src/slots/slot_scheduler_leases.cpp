#include "slots/slot_scheduler.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

// Leases: which slots are reserved for owners.
namespace tandem::slots {
namespace {

bool wants_lease(const slot_request& w) noexcept {
    return w.lease > 0 && w.owner != nobody;
}

}  // namespace

bool slot_scheduler::is_leased_to_other(int slot, const slot_request& w) const {
    return at(slot).leased_to != nobody && at(slot).leased_to != w.owner;
}

// A stuck slot is of no use to its owner, so it does not count and the owner may lease another.
int slot_scheduler::count_leases_of(owner_id owner) const {
    int held = 0;
    for (int slot = 0; slot < usable_; ++slot)
        held += at(slot).leased_to == owner && !is_stuck(slot) ? 1 : 0;
    return held;
}

bool slot_scheduler::has_all_leases(const slot_request& w) const {
    return wants_lease(w) && count_leases_of(w.owner) >= w.lease;
}

// Considers leases and `only`. `has_all` must be that of the request.
bool slot_scheduler::may_be_granted(int slot, const slot_request& w, bool has_all) const {
    if (w.required_slot && slot != *w.required_slot) return false;
    if (at(slot).leased_to == nobody) return !has_all;
    return !is_leased_to_other(slot, w) || (sharing_ && w.priority <= priority::turn && !has_all);
}

std::vector<int> slot_scheduler::sort_by_reuse_cost(const std::vector<int>& slots,
                                                    const slot_request& w, time_point now) const {
    std::vector<std::pair<std::size_t, int>> ranked;
    ranked.reserve(slots.size());
    for (const int slot : slots) ranked.emplace_back(reuse_cost(slot, w, now), slot);
    std::stable_sort(ranked.begin(), ranked.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<int> sorted;
    sorted.reserve(ranked.size());
    for (const auto& r : ranked) sorted.push_back(r.second);
    return sorted;
}

// Grants the slot to the request and leases further slots to its owner from `idle`, which lists
// slots not promised to any ticket in the order in which their guards end. Returns true if the
// owner had too many leases and some ended.
bool slot_scheduler::lease(int slot, const slot_request& w, const std::vector<int>& idle,
                           time_point now) {
    if (is_leased_to_other(slot, w)) at(slot).leased_to = nobody;
    if (!wants_lease(w)) return false;
    at(slot).leased_to = w.owner;
    const int more = w.lease - count_leases_of(w.owner);
    if (more > 0) extend_leases(w, more, idle, now);
    if (more < 0) reduce_leases(slot, w, -more, now);
    return more < 0;
}

// A slot within its guard is acceptable, because it is for later use.
void slot_scheduler::extend_leases(const slot_request& w, int more, const std::vector<int>& idle,
                                   time_point now) {
    std::vector<int> free;
    std::copy_if(idle.begin(), idle.end(), std::back_inserter(free),
                 [this](int slot) { return at(slot).leased_to == nobody && !is_stuck(slot); });
    for (const int slot : sort_by_reuse_cost(free, w, now))
        if (more-- > 0) at(slot).leased_to = w.owner;
}

// Ends the owner's surplus leases, idle slots that hold the least of the prompt first.
void slot_scheduler::reduce_leases(int granted, const slot_request& w, int fewer, time_point now) {
    std::vector<int> own;
    for (int slot = 0; slot < usable_; ++slot)
        if (at(slot).leased_to == w.owner && !is_stuck(slot) && slot != granted)
            own.push_back(slot);
    own = sort_by_reuse_cost(own, w, now);
    std::stable_partition(own.begin(), own.end(), [this](int slot) { return at(slot).busy; });
    for (; fewer > 0 && !own.empty(); --fewer, own.pop_back()) at(own.back()).leased_to = nobody;
}

}  // namespace tandem::slots
