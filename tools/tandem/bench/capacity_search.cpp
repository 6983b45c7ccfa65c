#include "bench/capacity_search.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

constexpr int parts_of_five_percent = 20;

}  // namespace

std::optional<int> capacity_search::next_callers() const noexcept {
    if (!over_) {
        if (held_ == max_callers) return std::nullopt;
        return std::clamp(2 * held_, first_callers, max_callers);
    }
    const int width = *over_ - held_;
    if (width <= std::max(1, held_ / parts_of_five_percent)) return std::nullopt;
    return held_ + width / 2;
}

void capacity_search::add_outcome(bool held) noexcept {
    const int callers = *next_callers();
    if (held)
        held_ = callers;
    else
        over_ = callers;
}

}  // namespace tandem::command
