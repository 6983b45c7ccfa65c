#include "faults/fault_plan.hpp"

#include <utility>

namespace tandem::mock {

void fault_plan::add(fault f, time_point now) {
    entry e{.what = f, .left = f.times, .skips = f.skip, .until = {}};
    if (f.kind == fault_kind::unavailable && f.duration.count() > 0) e.until = now + f.duration;
    const std::lock_guard lock(mutex_);
    entries_.push_back(std::move(e));
}

void fault_plan::clear() {
    const std::lock_guard lock(mutex_);
    entries_.clear();
}

bool fault_plan::matches(const entry& e, const request_record& request) {
    if (e.until) return true;
    const fault& f = e.what;
    if (!f.path.empty() && f.path != request.path) return false;
    if (f.id_slot != -1 && f.id_slot != request.id_slot) return false;
    return !f.when || f.when(request);
}

std::optional<fault> fault_plan::use_fault_for(const request_record& request, time_point now) {
    const std::lock_guard lock(mutex_);
    std::erase_if(entries_, [now](const entry& e) { return e.until && *e.until <= now; });
    for (auto e = entries_.begin(); e != entries_.end(); ++e) {
        if (!matches(*e, request)) continue;
        if (!e->until && e->skips > 0) {
            --e->skips;
            continue;
        }
        fault f = e->what;
        if (!e->until && f.times > 0 && --e->left == 0) entries_.erase(e);
        return f;
    }
    return std::nullopt;
}

std::string fault_message(const fault& f) {
    if (!f.text.empty()) return f.text;
    if (f.kind == fault_kind::garbage) return "data: {\"content\": \xFF\xFE]]\n\n";
    return "injected fault";
}

std::chrono::nanoseconds fault_duration(const fault& f) {
    // A century: longer than any test, and still representable.
    constexpr auto for_ever = std::chrono::hours(24 * 365 * 100);
    return f.duration.count() > 0 ? std::chrono::nanoseconds(f.duration) : for_ever;
}

bool is_engine_fault(const fault& f) {
    return f.kind == fault_kind::stream_error || f.kind == fault_kind::crash ||
           f.kind == fault_kind::unnoticed_cut || (f.kind == fault_kind::stall && f.at_byte < 0);
}

}  // namespace tandem::mock
