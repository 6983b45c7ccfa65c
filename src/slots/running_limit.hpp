#pragma once

#include "base/time.hpp"
#include "slots/generated_so_far.hpp"

#include <map>
#include <optional>

namespace tandem::slots {

/// The number of requests that a server should run at once, learned from their speed. The slots of
/// a server share one machine. Beyond some number, one more request slows all others down, and the
/// server generates no more tokens in total. The request should then wait, because the reply that
/// is due next ends sooner. Pure.
class running_limit {
 public:
    /// A request generated `part` while `running` requests ran on average, including itself.
    /// Returns false, and records nothing, if that is too little to show a speed.
    bool record_speed(double running, const generated_so_far& part, time_point now);
    /// About the smallest number of requests that together generate nearly as many tokens as any
    /// other number seen, or, now and then, a smaller or larger one to try it. Until a clearly
    /// larger number was seen to generate no more, the limit grows. `unlimited` before anything was
    /// seen.
    int find_limit(time_point now) const;
    /// Total rate in tokens/s when the best number of requests runs on `slots` slots, less the time
    /// that the prompts of others take. nullopt until enough requests have run at once.
    std::optional<double> find_tokens_per_s(int slots, time_point now) const;

    static constexpr int unlimited = 1 << 20;

 private:
    // What requests generated while about the same number of them ran. Bounded, and halved with
    // time, so that the server's present speed counts.
    struct sample {
        double tokens = 0;
        double seconds = 0;
        double steady_tokens = 0;
        double steady_seconds = 0;
        double running_seconds = 0;  // seconds, each times the number that ran
        time_point last{};
        double running() const { return running_seconds / seconds; }
        // The tokens/s of one request, and without hold-ups.
        double tokens_per_s() const { return tokens / seconds; }
        double steady_tokens_per_s() const { return steady_tokens / steady_seconds; }
    };
    std::optional<double> find_steady_total(double running, time_point now) const;

    std::map<int, sample> by_magnitude_;
};

}  // namespace tandem::slots
