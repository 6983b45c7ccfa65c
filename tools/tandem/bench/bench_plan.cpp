#include "bench/bench_plan.hpp"

#include <cmath>
#include <utility>

namespace tandem::command {

load_plan::load_plan(load_rules rules) : rules_(rules) {
    // The first caller of a random crowd comes at a random time, too.
    if (rules_.rate && rules_.spread == arrivals::poisson) due_ = next_gap();
}

std::optional<duration> load_plan::take(duration now) {
    const auto due = rules_.rate ? due_ : now;
    if (!has_more(due) || (rules_.time && now >= *rules_.time)) return std::nullopt;
    ++taken_;
    if (rules_.rate) due_ += next_gap();
    return due;
}

std::int64_t load_plan::missed(duration now) {
    std::int64_t count = 0;
    while (rules_.rate && has_more(due_) && due_ < now) {
        ++count;
        ++taken_;
        due_ += next_gap();
    }
    return count;
}

bool load_plan::has_more(duration due) const noexcept {
    return !(rules_.turns && taken_ >= *rules_.turns) && !(rules_.time && due >= *rules_.time);
}

duration load_plan::next_gap() {
    const double seconds = rules_.spread == arrivals::even
                               ? 1 / *rules_.rate
                               : std::exponential_distribution<double>(*rules_.rate)(dice_);
    return duration(std::llround(seconds * 1e9));
}

}  // namespace tandem::command
