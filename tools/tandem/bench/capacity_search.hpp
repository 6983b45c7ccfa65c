#pragma once

#include <optional>

namespace tandem::command {

/// Searches for the largest number of callers that a server can serve within the limits. Doubles
/// the number until a step exceeds the limits, then bisects until the two bounds differ by at most
/// one caller or 5 % of the lower bound. Pure.
class capacity_search {
 public:
    static constexpr int first_callers = 4;
    static constexpr int max_callers = 1000;

    /// Returns the number of callers for the next step, or nothing once the result is known.
    std::optional<int> next_callers() const noexcept;
    /// Records whether the step with next_callers() callers stayed within the limits. Precondition:
    /// the search is not over.
    void add_outcome(bool held) noexcept;

    /// The largest number within the limits; 0 = none.
    int highest_held() const noexcept { return held_; }
    /// The smallest number that exceeded the limits.
    std::optional<int> lowest_failed() const noexcept { return over_; }

 private:
    int held_ = 0;
    std::optional<int> over_;
};

}  // namespace tandem::command
