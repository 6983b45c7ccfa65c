#include "report/report_residents.hpp"

#include "text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

namespace tandem::command {
namespace {

constexpr int columns_for_id = 40;

/// A request or prefill of a dialogue, which puts the text of the dialogue into the slot at
/// `at_ms`.
struct slot_use {
    lane_slot where;
    double at_ms = 0;
    std::string_view id;
};

void add_uses(std::vector<slot_use>& uses, const report_reply& r, const report_bars& b) {
    for (const auto& bar : b.bars) {
        const auto lane = static_cast<std::size_t>(bar.lane);
        const bool is_use =
            bar.what == report_bar::kind::prompt || bar.what == report_bar::kind::warming;
        if (is_use && lane < b.slots.size())
            uses.push_back({b.slots[lane], r.start_ms + bar.from_ms, r.id});
    }
}

// Of consecutive uses of a slot by the same dialogue, keeps the first.
void keep_changes(std::vector<slot_use>& uses) {
    std::ranges::stable_sort(uses, {},
                             [](const slot_use& u) { return std::tie(u.where, u.at_ms); });
    const auto is_same_stay = [](const slot_use& a, const slot_use& b) {
        return a.where == b.where && a.id == b.id;
    };
    uses.erase(std::unique(uses.begin(), uses.end(), is_same_stay), uses.end());
}

report_bar make_stay(const slot_use& u, double to_ms, int hue) {
    const auto id = truncate_to_width(u.id, columns_for_id);
    // The page shortens a label only after its first space, so the label begins with a space.
    return {.what = report_bar::kind::resident,
            .from_ms = u.at_ms,
            .to_ms = to_ms,
            .words = fmt::format("holds the text of {}\n{:.1f} ms, from {:.1f} to {:.1f} ms", id,
                                 to_ms - u.at_ms, u.at_ms, to_ms),
            .label = " " + id,
            .hue = hue};
}

void add_stays(report_bars& b, const std::vector<slot_use>& uses,
               const std::map<std::string_view, int>& hues) {
    int lane = 0;
    for (std::size_t i = 0; i < uses.size(); ++i) {
        const bool is_last = i + 1 == uses.size() || uses[i + 1].where != uses[i].where;
        const double to_ms = is_last ? b.duration_ms : uses[i + 1].at_ms;
        b.bars.push_back(make_stay(uses[i], to_ms, hues.at(uses[i].id)));
        b.bars.back().lane = lane;
        if (is_last) ++lane;
    }
}

}  // namespace

report_bars make_slot_resident_bars(std::span<const report_reply> replies) {
    report_bars result;
    std::vector<slot_use> uses;
    std::map<std::string_view, int> hues;
    for (const auto& r : replies) {
        const auto b = make_bars(r);
        hues.try_emplace(r.id, static_cast<int>(hues.size()) % resident_hues);
        result.duration_ms = std::max(result.duration_ms, r.start_ms + b.duration_ms);
        add_uses(uses, r, b);
    }
    keep_changes(uses);
    std::set<lane_slot> slots;
    for (const auto& u : uses) slots.insert(u.where);
    result.lanes = name_lanes(slots);
    result.slots.assign(slots.begin(), slots.end());
    add_stays(result, uses, hues);
    return result;
}

}  // namespace tandem::command
