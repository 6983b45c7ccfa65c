#include "reply/machine/voice_pace.hpp"

#include <algorithm>
#include <chrono>

namespace tandem::detail {
namespace {

// Each new chunk reduces the weight of earlier chunks by this factor, so only about the last six
// chunks matter.
constexpr double kept_weight = 0.85;
// A measured time is limited to this multiple of the estimate, plus 1 s: a longer time includes a
// pause, such as a call on hold.
constexpr double max_share = 3;

using seconds = std::chrono::duration<double>;

}  // namespace

duration voice_pace::estimate(std::size_t characters) const noexcept {
    const double spread = weight_ * xx_ - x_ * x_;
    const auto x = static_cast<double>(characters);
    // If all chunks are about equally long, the start-up time cannot be told from the time per
    // character, so it is taken as 0.
    double slope = spread > 1e-3 * xx_ ? (weight_ * xy_ - x_ * y_) / spread : y_ / x_;
    double start_up = (y_ - slope * x_) / weight_;
    if (start_up < 0 || slope < 0) {
        slope = y_ / x_;
        start_up = 0;
    }
    return std::chrono::duration_cast<duration>(seconds(start_up + slope * x));
}

void voice_pace::learn(std::size_t characters, duration took) noexcept {
    if (characters == 0) return;
    const auto x = static_cast<double>(characters);
    const double y =
        std::min(seconds(took).count(), max_share * seconds(estimate(characters)).count() + 1);
    const auto add = [](double& sum, double value) { sum = kept_weight * sum + value; };
    add(weight_, 1);
    add(x_, x);
    add(y_, y);
    add(xx_, x * x);
    add(xy_, x * y);
}

}  // namespace tandem::detail
