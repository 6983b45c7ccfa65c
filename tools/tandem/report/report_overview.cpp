#include "report/report_overview.hpp"

#include "report/report_drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

namespace tandem::command {
namespace {

// More lanes would make the drawing hard to read.
constexpr std::size_t max_voices = 24;

/// Merges the bars of several replies onto common lanes.
class overview_maker {
 public:
    explicit overview_maker(std::span<const report_reply> replies) : replies_(replies) {
        for (const auto& r : replies) drawn_.push_back(make_bars(r));
        add_slot_lanes();
        add_voice_lanes();
    }

    report_bars make() {
        for (std::size_t i = 0; i < drawn_.size(); ++i) add(replies_[i], drawn_[i]);
        return std::move(result_);
    }

 private:
    void add_slot_lanes() {
        std::set<lane_slot> slots;
        for (const auto& b : drawn_) slots.insert(b.slots.begin(), b.slots.end());
        for (const auto& s : slots)
            slot_lanes_.try_emplace(s, static_cast<int>(slot_lanes_.size()));
        result_.lanes = name_lanes(slots);
    }
    void add_voice_lanes() {
        std::set<std::string_view> ids;
        for (const auto& r : replies_) ids.insert(r.id);
        if (ids.size() > max_voices) return;
        for (const auto& r : replies_) {
            const auto [at, is_new] =
                voice_lanes_.try_emplace(r.id, static_cast<int>(result_.lanes.size()));
            if (is_new) result_.lanes.push_back(r.id);
        }
    }

    // Returns the common lane for a lane of a reply, or -1 if it is not shown.
    int lane_of(const report_reply& r, const report_bars& b, int lane) const {
        const auto i = static_cast<std::size_t>(lane);
        if (i < b.slots.size()) return slot_lanes_.at(b.slots[i]);
        const auto voice = voice_lanes_.find(r.id);
        const bool is_voice = i + 1 == b.lanes.size();
        return is_voice && voice != voice_lanes_.end() ? voice->second : -1;
    }

    void add(const report_reply& r, const report_bars& b) {
        const auto name = format_short_reply_name(r) + ": ";
        result_.duration_ms = std::max(result_.duration_ms, r.start_ms + b.duration_ms);
        for (auto bar : b.bars) {
            bar.lane = lane_of(r, b, bar.lane);
            bar.from_ms += r.start_ms;
            bar.to_ms += r.start_ms;
            bar.words = name + bar.words;
            bar.label.clear();
            if (bar.lane >= 0) result_.bars.push_back(std::move(bar));
        }
        for (auto mark : b.marks) {
            mark.lane = lane_of(r, b, mark.lane);
            mark.at_ms += r.start_ms;
            mark.words = name + mark.words;
            if (mark.lane >= 0) result_.marks.push_back(std::move(mark));
        }
    }

    std::span<const report_reply> replies_;
    std::vector<report_bars> drawn_;
    std::map<lane_slot, int> slot_lanes_;
    std::map<std::string_view, int> voice_lanes_;
    report_bars result_;
};

}  // namespace

report_bars make_overview(std::span<const report_reply> replies) {
    return overview_maker(replies).make();
}

}  // namespace tandem::command
