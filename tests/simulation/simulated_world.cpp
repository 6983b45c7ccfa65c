#include "simulation/simulated_world.hpp"

#include <algorithm>
#include <exception>
#include <utility>

namespace tandem::test {

bool simulated_world::is_later(const entry& a, const entry& b) noexcept {
    return std::pair(a.when, a.order) > std::pair(b.when, b.order);
}

void simulated_world::at(duration delay, std::function<void()> what) {
    agenda_.push_back({now_ + delay, ++order_, std::move(what)});
    std::push_heap(agenda_.begin(), agenda_.end(), is_later);
}

void simulated_world::leap(duration ahead) {
    ++leaps_;
    now_ += ahead;
    leapt_at_ = now_;
    note("time leaps");
}

void simulated_world::run(std::uint64_t max_steps) {
    while (!agenda_.empty() && steps_ < max_steps && broken_.empty()) {
        std::pop_heap(agenda_.begin(), agenda_.end(), is_later);
        auto next = std::move(agenda_.back());
        agenda_.pop_back();
        now_ = std::max(now_, next.when);
        try {
            next.what();
        } catch (const std::exception& e) {
            broken_.push_back(std::string("nothing throws: ") + e.what());
        }
        ++steps_;
        course_ = course_ * 31 + static_cast<std::uint64_t>(now_.time_since_epoch().count());
    }
    check(steps_ < max_steps, "the run ends");
}

void simulated_world::check(bool holds, const char* promise) {
    if (!holds) broken_.emplace_back(promise);
}

}  // namespace tandem::test
