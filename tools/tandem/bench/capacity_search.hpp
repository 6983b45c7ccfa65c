#pragma once

#include <optional>

namespace tandem::command {

/// Searches for the largest number of callers that a server carries. Doubles the number until a
/// step does not hold, then halves the interval until it is at most 5 % or one caller wide. Pure.
class capacity_search {
 public:
    static constexpr int first_callers = 4;
    static constexpr int max_callers = 1000;

    /// Returns the number of callers of the next step, or nothing once the answer is known.
    std::optional<int> next_callers() const noexcept;
    /// Records whether the server carried next_callers() callers, which must not be empty.
    void add_outcome(bool held) noexcept;

    /// The largest number that held; 0 = none.
    int highest_held() const noexcept { return held_; }
    /// The smallest number that did not hold.
    std::optional<int> lowest_failed() const noexcept { return over_; }

 private:
    int held_ = 0;
    std::optional<int> over_;
};

}  // namespace tandem::command
