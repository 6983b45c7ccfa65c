#pragma once

#include "base/time.hpp"
#include "slots/generated_so_far.hpp"

#include <map>
#include <optional>

namespace tandem::slots {

/// The number of requests that a server should run at once, learned from the speed of requests. The
/// slots of a server share one machine. Beyond some number, one more request slows down all others
/// without making the server generate more tokens in total. Such a request should wait, so that the
/// reply that is due next is ready sooner. Pure.
class concurrency_limit {
 public:
    /// Records that a request generated `part` while `running` requests ran on average, including
    /// itself. If `part` is too short to show a speed, returns false and records nothing.
    bool record_speed(double running, const generated_so_far& part, time_point now);
    /// About the smallest number of requests that together generate nearly as many tokens as any
    /// other number seen; occasionally a smaller or larger number, as a trial. The limit grows
    /// until a clearly larger number has been seen to generate no more tokens. `unlimited` as long
    /// as no number has been seen.
    int find_limit(time_point now) const;
    /// Total rate in tokens/s when the best number of requests runs on `slots` slots. Prompts,
    /// which hold up the requests that are generating, lower this rate. nullopt until enough
    /// requests have run at once.
    std::optional<double> find_tokens_per_s(int slots, time_point now) const;

    static constexpr int unlimited = 1 << 20;

 private:
    // What requests generated while about the same number of requests ran. The sums are bounded and
    // decay with time, so that the server's present speed decides.
    struct sample {
        double tokens = 0;
        double seconds = 0;
        double steady_tokens = 0;
        double steady_seconds = 0;
        double running_seconds = 0;  // seconds times running requests
        time_point last{};
        double running() const { return running_seconds / seconds; }
        // The tokens/s of one request, with and without hold-ups.
        double tokens_per_s() const { return tokens / seconds; }
        double steady_tokens_per_s() const { return steady_tokens / steady_seconds; }
    };
    std::optional<double> find_steady_total(double running, time_point now) const;

    std::map<int, sample> by_magnitude_;
};

}  // namespace tandem::slots
