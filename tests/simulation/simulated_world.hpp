#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tandem::test {

using rng = std::mt19937_64;

/// Uniform in [low, high].
inline int pick(rng& random, int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
}

inline bool chance(rng& random, double p) {
    return std::bernoulli_distribution(p)(random);
}

/// Simulated time, chance from one seed, and the promises that were found broken.
class simulated_world {
 public:
    explicit simulated_world(std::uint64_t seed) : random_(seed) {}

    rng& random() noexcept { return random_; }
    time_point now() const noexcept { return now_; }
    /// Calls `what` so much later; what is due at the same time comes in the order of these calls.
    void at(duration delay, std::function<void()> what);
    /// Runs until nothing is left to happen, or a promise is broken.
    void run(std::uint64_t most_steps);
    void check(bool holds, const char* promise);
    /// Counts what happened, so that tests can tell what a run has tried.
    void note(const std::string& what) { ++happened_[what]; }
    const std::map<std::string, int>& happened() const noexcept { return happened_; }

    std::uint64_t steps() const noexcept { return steps_; }
    const std::vector<std::string>& broken() const noexcept { return broken_; }

 private:
    rng random_;
    time_point now_{std::chrono::hours(1)};
    std::uint64_t steps_ = 0;
    std::uint64_t order_ = 0;
    std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
    std::vector<std::string> broken_;
    std::map<std::string, int> happened_;
};

}  // namespace tandem::test
