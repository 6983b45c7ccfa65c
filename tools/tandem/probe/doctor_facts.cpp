#include "probe/doctor_facts.hpp"

#include "slots/server_build_faults.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::command {
namespace {

template <class Value, class Less>
Value middle(std::vector<Value> values, Less less) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), at, values.end(), less);
    return *at;
}

template <class Number>
void set_number(Number measurement_round::*member, const std::vector<measurement_round>& rounds,
                measurement_round& result) {
    std::vector<Number> values;
    for (const auto& r : rounds)
        if (r.*member >= 0) values.push_back(r.*member);
    if (!values.empty()) result.*member = middle(std::move(values), std::less<>{});
}

void set_use(std::optional<cache_usage> measurement_round::*member,
             const std::vector<measurement_round>& rounds, measurement_round& result) {
    std::vector<cache_usage> values;
    for (const auto& r : rounds)
        if (r.*member) values.push_back(*(r.*member));
    if (values.empty()) return;
    result.*member = middle(std::move(values), [](const cache_usage& a, const cache_usage& b) {
        return a.evaluated < b.evaluated;
    });
}

}  // namespace

measurement_round compute_medians(const std::vector<measurement_round>& rounds) {
    measurement_round result;
    for (const auto member :
         {&measurement_round::first_token_cold_ms, &measurement_round::first_token_warm_ms,
          &measurement_round::prompt_tokens_per_second, &measurement_round::tokens_per_second,
          &measurement_round::cut_to_idle_ms, &measurement_round::first_token_after_change_ms})
        set_number(member, rounds, result);
    set_number(&measurement_round::tokens_after_cut, rounds, result);
    for (const auto member :
         {&measurement_round::same_slot, &measurement_round::other_slot,
          &measurement_round::prefilled_slot, &measurement_round::first_slot_again,
          &measurement_round::after_change})
        set_use(member, rounds, result);
    return result;
}

duration doctor_facts::reuse_guard() const {
    return settings.reuse_guard.value_or(slots::choose_reuse_guard(props.value.build_info));
}

bool doctor_facts::is_slower_than_speech() const {
    return has_speed() && measured.value.median.tokens_per_second < speech_tokens_per_second;
}

// Assumes that a slot generates 8 s of speech for a caller, then pauses for the guard, and that
// prompts and changes of conversation take a third of its time.
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
