#pragma once

#include "base/time.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
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

inline duration up_to(rng& random, int milliseconds) {
    return std::chrono::milliseconds(pick(random, 0, milliseconds));
}

/// From a second to some minutes.
inline duration random_leap(rng& random) {
    return std::chrono::seconds(pick(random, 1, chance(random, 0.3) ? 300 : 10));
}

/// Simulated time, chance from one seed, and the promises that were found broken.
class simulated_world {
 public:
    explicit simulated_world(std::uint64_t seed) : random_(seed) {}

    rng& random() noexcept { return random_; }
    time_point now() const noexcept { return now_; }
    /// Calls `what` so much later; what is due at the same time comes in the order of these calls.
    void at(duration delay, std::function<void()> what);
    /// Time leaps ahead, as where the machine sleeps: all that is due meanwhile comes late.
    void leap(duration ahead);
    /// Whether it did since then.
    bool leapt_since(time_point when) const noexcept { return leaps_ > 0 && leapt_at_ >= when; }
    bool leaps() const noexcept { return leaps_ > 0; }
    /// Runs until nothing is left to happen, or a promise is broken.
    void run(std::uint64_t most_steps);
    void check(bool holds, const char* promise);
    /// Counts what happened, so that tests can tell what a run has tried.
    void note(const std::string& what) { ++happened_[what]; }
    const std::map<std::string, int>& happened() const noexcept { return happened_; }

    std::uint64_t steps() const noexcept { return steps_; }
    /// Tells runs apart that differ anywhere: made of the time of each step.
    std::uint64_t course() const noexcept { return course_; }
    const std::vector<std::string>& broken() const noexcept { return broken_; }

 private:
    struct entry {
        time_point when;
        std::uint64_t order;
        std::function<void()> what;
    };
    static bool is_later(const entry& a, const entry& b) noexcept;

    rng random_;
    time_point now_{std::chrono::hours(1)};
    int leaps_ = 0;
    time_point leapt_at_{};
    std::uint64_t steps_ = 0;
    std::uint64_t course_ = 0;
    std::uint64_t order_ = 0;
    std::vector<entry> agenda_;  // a heap, the next one first
    std::vector<std::string> broken_;
    std::map<std::string, int> happened_;
};

}  // namespace tandem::test
