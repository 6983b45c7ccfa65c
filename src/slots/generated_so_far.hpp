#pragma once

#include "base/time.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <numeric>

namespace tandem::slots {

/// What a request has generated so far: the tokens after the first one, and the time from the first
/// one to the last. The steady time excludes hold-ups, which are mostly caused by the prompts of
/// other requests.
struct generated_so_far {
    int tokens = 0;
    duration time{};
    /// The part of `tokens` for which token_gaps has computed the steady time.
    int steady_tokens = 0;
    duration steady_time{};
};

inline generated_so_far operator-(generated_so_far a, const generated_so_far& b) {
    return {a.tokens - b.tokens, a.time - b.time, a.steady_tokens - b.steady_tokens,
            a.steady_time - b.steady_time};
}

/// Adds the gaps between tokens to a generated_so_far. Pure.
class token_gaps {
 public:
    void add(duration gap, generated_so_far& sum) {
        ++sum.tokens;
        sum.time += gap;
        gaps_[count_++] = gap;
        if (count_ < gaps_.size()) return;
        count_ = 0;
        sum.steady_tokens += static_cast<int>(gaps_.size());
        sum.steady_time += find_steady_time();
    }

 private:
    // A gap much longer than the median contains a hold-up. If the median is close to 0, the server
    // generates several tokens per step, and long gaps are normal.
    duration find_steady_time() {
        const auto middle = gaps_.begin() + gaps_.size() / 2;
        std::nth_element(gaps_.begin(), middle, gaps_.end());
        const auto median = *middle;
        constexpr duration together = std::chrono::milliseconds(3);
        if (median < together) return std::reduce(gaps_.begin(), gaps_.end());
        duration sum{};
        for (const auto gap : gaps_) sum += gap > median * 3 / 2 ? median : gap;
        return sum;
    }

    std::array<duration, 8> gaps_{};
    std::size_t count_ = 0;
};

}  // namespace tandem::slots
