#include "probe/doctor_medians.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

template <class Value, class Less>
Value middle(std::vector<Value> values, Less less) {
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), at, values.end(), less);
    return *at;
}

template <class Number>
void set_number(Number doctor_round::*member, const std::vector<doctor_round>& rounds,
                doctor_round& result) {
    std::vector<Number> values;
    for (const auto& r : rounds)
        if (r.*member >= 0) values.push_back(r.*member);
    if (!values.empty()) result.*member = middle(std::move(values), std::less<>{});
}

void set_use(std::optional<cache_usage> doctor_round::*member,
             const std::vector<doctor_round>& rounds, doctor_round& result) {
    std::vector<cache_usage> values;
    for (const auto& r : rounds)
        if (r.*member) values.push_back(*(r.*member));
    if (values.empty()) return;
    result.*member = middle(std::move(values), [](const cache_usage& a, const cache_usage& b) {
        return a.evaluated < b.evaluated;
    });
}

}  // namespace

doctor_round compute_medians(const std::vector<doctor_round>& rounds) {
    doctor_round result;
    for (const auto member :
         {&doctor_round::first_token_cold_ms, &doctor_round::first_token_warm_ms,
          &doctor_round::prompt_tokens_per_second, &doctor_round::tokens_per_second,
          &doctor_round::cut_to_idle_ms, &doctor_round::first_token_after_change_ms})
        set_number(member, rounds, result);
    set_number(&doctor_round::tokens_after_cut, rounds, result);
    for (const auto member :
         {&doctor_round::same_slot, &doctor_round::other_slot, &doctor_round::prefilled_slot,
          &doctor_round::first_slot_again, &doctor_round::after_change})
        set_use(member, rounds, result);
    return result;
}

}  // namespace tandem::command
