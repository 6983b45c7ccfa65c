#include "fault_plan.hpp"

#include <algorithm>
#include <utility>

namespace tandem::mock {

void fault_plan::add(fault f, time_point now) {
    entry e{.what = std::move(f), .left = 0, .skips = 0, .until = {}};
    e.left = e.what.times;
    e.skips = e.what.skip;
    if (e.what.kind == fault_kind::unavailable && e.what.duration.count() > 0) {
        e.until = now + e.what.duration;
    }
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(e));
}

void fault_plan::clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
}

bool fault_plan::applies(entry& e, const request_record& request, time_point now) const {
    const fault& f = e.what;
    if (e.until) return now < *e.until;
    if (!f.path.empty() && f.path != request.path) return false;
    if (f.id_slot != -1 && f.id_slot != request.id_slot) return false;
    if (f.when && !f.when(request)) return false;
    return e.skips-- <= 0;
}

std::optional<fault> fault_plan::take(const request_record& request, time_point now) {
    const std::lock_guard lock(mutex_);
    const auto is_over = [now](const entry& e) { return e.until && *e.until <= now; };
    entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_over), entries_.end());
    for (auto e = entries_.begin(); e != entries_.end(); ++e) {
        if (!applies(*e, request, now)) continue;
        fault f = e->what;
        e->skips = 0;
        if (!e->until && f.times > 0 && --e->left == 0) entries_.erase(e);
        return f;
    }
    return std::nullopt;
}

std::string message_of(const fault& f) {
    if (!f.text.empty()) return f.text;
    if (f.kind == fault_kind::garbage) return "data: {\"content\": \xFF\xFE]]\n\n";
    return "injected fault";
}

std::chrono::nanoseconds lasting(const fault& f) {
    // A century: later than any test, and still representable.
    constexpr auto for_ever = std::chrono::hours(24 * 365 * 100);
    return f.duration.count() > 0 ? std::chrono::nanoseconds(f.duration) : for_ever;
}

bool is_of_engine(const fault& f) {
    return f.kind == fault_kind::stream_error || f.kind == fault_kind::crash ||
           f.kind == fault_kind::unnoticed_cut || (f.kind == fault_kind::stall && f.at_byte < 0);
}

}  // namespace tandem::mock
