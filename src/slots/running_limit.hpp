#pragma once

#include "base/time.hpp"

#include <map>
#include <optional>

namespace tandem::slots {

/// The number of requests that a server should run at once, learned from their speed. The slots of
/// a server share one machine. Beyond some number, one more request slows all others down, and the
/// server generates no more tokens in total. The request should then wait, because the reply that
/// is due next ends sooner. Pure.
class running_limit {
 public:
    /// A request generated `tokens` in `took` while `running` requests ran on average, including
    /// itself. Returns false, and records nothing, if those are too few to show a speed.
    bool record_speed(double running, int tokens, duration took, time_point now);
    /// About the smallest number of requests that together generate nearly as many tokens as any
    /// other number seen. `unlimited` until a clearly larger number was seen to generate no more.
    int find_limit(time_point now) const;
    /// Total rate in tokens/s when the best number of requests runs on `slots` slots, less the time
    /// that the prompts of others take. nullopt until enough requests have run at once.
    std::optional<double> find_tokens_per_s(int slots, time_point now) const;

    static constexpr int unlimited = 1 << 20;

 private:
    // What requests generated while about the same number of them ran. Bounded, so that the
    // server's present speed counts.
    struct sample {
        double tokens = 0;
        double tokens_by_rate = 0;  // tokens, each times the tokens/s of its request
        double seconds = 0;
        double running_seconds = 0;  // seconds, each times the number that ran
        time_point last{};
        double running() const { return running_seconds / seconds; }
        // The tokens/s of one request: on average, and while the prompts of others did not delay
        // it. The latter is an estimate in which fast parts count more.
        double tokens_per_s() const { return tokens / seconds; }
        double free_tokens_per_s() const { return tokens_by_rate / tokens; }
    };
    static bool is_trusted(const sample& s, time_point now);

    std::map<int, sample> by_magnitude_;
};

}  // namespace tandem::slots
