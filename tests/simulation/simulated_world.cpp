#include "simulation/simulated_world.hpp"

namespace tandem::test {

void simulated_world::at(duration delay, std::function<void()> what) {
    agenda_.emplace(std::pair(now_ + delay, ++order_), std::move(what));
}

void simulated_world::run(std::uint64_t most_steps) {
    while (!agenda_.empty() && steps_ < most_steps && broken_.empty()) {
        auto next = agenda_.extract(agenda_.begin());
        now_ = next.key().first;
        next.mapped()();
        ++steps_;
    }
    check(steps_ < most_steps, "the run comes to an end");
}

void simulated_world::check(bool holds, const char* promise) {
    if (!holds) broken_.emplace_back(promise);
}

}  // namespace tandem::test
