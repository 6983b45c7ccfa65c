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

/// From one second to five minutes.
inline duration random_leap(rng& random) {
    return std::chrono::seconds(pick(random, 1, chance(random, 0.3) ? 300 : 10));
}

/// Simulated time, random numbers from one seed, and the list of broken promises.
class simulated_world {
 public:
    explicit simulated_world(std::uint64_t seed) : random_(seed) {}

    rng& random() noexcept { return random_; }
    time_point now() const noexcept { return now_; }
    /// Calls `what` after `delay`. Functions due at the same time run in the order of these calls.
    void at(duration delay, std::function<void()> what);
    /// Time leaps ahead, as when the machine sleeps. Everything due in that period runs late.
    void leap(duration ahead);
    /// Whether time has leapt since `when`.
    bool leapt_since(time_point when) const noexcept { return leaps_ > 0 && leapt_at_ >= when; }
    bool leaps() const noexcept { return leaps_ > 0; }
    /// Runs until no events are left or a promise is broken.
    void run(std::uint64_t max_steps);
    void check(bool holds, const char* promise);
    /// Counts an event, so that tests can check which events a run covered.
    void note(const std::string& what) { ++happened_[what]; }
    const std::map<std::string, int>& happened() const noexcept { return happened_; }

    std::uint64_t steps() const noexcept { return steps_; }
    /// A hash of the times of all steps. It tells different runs apart.
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
    std::vector<entry> agenda_;  // a heap with the next entry first
    std::vector<std::string> broken_;
    std::map<std::string, int> happened_;
};

}  // namespace tandem::test
