#include "bench/arrival_schedule.hpp"

#include <cmath>

namespace tandem::command {

arrival_schedule::arrival_schedule(load_profile rules) : rules_(rules) {
    // A Poisson process does not begin with an arrival, so the first turn is not due at 0.
    if (rules_.rate && rules_.spread == arrival_distribution::poisson) due_ = next_gap();
}

std::optional<duration> arrival_schedule::take_next_start(duration now) {
    const auto due = rules_.rate ? due_ : now;
    if (!has_more(due) || (rules_.time && now >= *rules_.time)) return std::nullopt;
    ++taken_;
    if (rules_.rate) due_ += next_gap();
    return due;
}

std::int64_t arrival_schedule::count_missed(duration now) {
    std::int64_t count = 0;
    while (rules_.rate && has_more(due_) && due_ < now) {
        ++count;
        ++taken_;
        due_ += next_gap();
    }
    return count;
}

bool arrival_schedule::has_more(duration due) const noexcept {
    return !(rules_.turns && taken_ >= *rules_.turns) && !(rules_.time && due >= *rules_.time);
}

duration arrival_schedule::next_gap() {
    const double seconds = rules_.spread == arrival_distribution::even
                               ? 1 / *rules_.rate
                               : std::exponential_distribution<double>(*rules_.rate)(dice_);
    return duration(std::llround(seconds * 1e9));
}

}  // namespace tandem::command
