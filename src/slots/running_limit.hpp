#pragma once

#include "base/time.hpp"

#include <map>

namespace tandem::slots {

/// How many requests a server should run at once, learned from their speed. The slots of a server
/// share one machine: beyond some number, one more request makes all others slower, and no more
/// tokens in all. Then it is better to let it wait, because the next reply that is due is finished
/// sooner. Pure.
class running_limit {
 public:
    /// A request generated `tokens` in `took`, from its first token to its last, while `running`
    /// requests ran on average, including itself.
    void record(double running, int tokens, duration took, time_point now);
    /// The smallest number of requests that make nearly as many tokens together as any other
    /// number seen; `unlimited` until a clearly larger number was seen to make no more.
    int find(time_point now) const;

    static constexpr int unlimited = 1 << 20;

 private:
    // What `count` running requests made.
    struct sample {
        double tokens_per_s = 0;  // of one request
        double tokens = 0;        // weight, bounded so that the server's present speed counts
        time_point last{};
    };
    std::map<int, sample> by_count_;
};

}  // namespace tandem::slots
