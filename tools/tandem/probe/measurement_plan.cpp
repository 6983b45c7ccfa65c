#include "probe/measurement_plan.hpp"

#include "slots/server_build_faults.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::command {
namespace {

constexpr int default_prompt_tokens = 256;
constexpr int min_prompt_tokens = 16;
constexpr int sentences = 24;

// Returns the first idle slots; without /slots, the first slots of the server.
std::vector<int> idle_slots(const doctor_facts& facts) {
    const auto total = static_cast<std::size_t>(facts.props.value.total_slots);
    const auto most = std::min<std::size_t>(total, 2);
    std::vector<int> idle;
    if (facts.slots.ok()) {
        for (const auto& s : facts.slots.value)
            if (!s.processing && idle.size() < most) idle.push_back(s.id);
    } else {
        for (int id = 0; idle.size() < most; ++id) idle.push_back(id);
    }
    return idle;
}

}  // namespace

measurement_plan make_measurement_plan(const doctor_facts& facts) {
    const auto& props = facts.props.value;
    measurement_plan plan{.slots = idle_slots(facts), .prompt_tokens = default_prompt_tokens};
    if (props.context_per_slot > 0) {
        plan.prompt_tokens =
            std::clamp(props.context_per_slot / 8, min_prompt_tokens, default_prompt_tokens);
        plan.cut_bound = std::clamp(props.context_per_slot / 4, plan.cut_after, plan.cut_bound);
    }
    plan.may_cut = !slots::may_crash_after_cut(props.build_info);
    plan.guard = slots::choose_reuse_guard(props.build_info);
    plan.can_watch = facts.slots.ok();
    return plan;
}

int count_foreign_slots(const std::vector<slot_state>& before, const std::vector<slot_state>& now,
                        const std::vector<int>& own, std::optional<int> cut) {
    return static_cast<int>(std::ranges::count_if(now, [&](const slot_state& s) {
        if (s.processing && s.id != cut) return true;
        if (std::ranges::find(own, s.id) != own.end()) return false;
        const auto was = std::ranges::find(before, s.id, &slot_state::id);
        return was != before.end() && was->task != s.task;
    }));
}

std::string make_unique_prompt(std::uint64_t unique) {
    auto text = fmt::format("{:x} ", unique);
    for (int i = 1; i <= sentences; ++i)
        text += fmt::format(
            "Line {} of a letter that nobody reads, written to see how fast it is taken in. ", i);
    return text;
}

}  // namespace tandem::command
