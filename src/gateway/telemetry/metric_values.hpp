#pragma once

#include <cstdint>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>

// Buckets of histograms, and values of counters.
namespace tandem::gateway {

/// Upper bounds in seconds: `waits` for delays that a listener notices, `lives` for durations up to
/// minutes.
inline const prometheus::Histogram::BucketBoundaries waits{
    0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30};
inline const prometheus::Histogram::BucketBoundaries lives{
    0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800};
inline const prometheus::Histogram::BucketBoundaries shares{0,   0.1, 0.2, 0.3, 0.4,  0.5,
                                                            0.6, 0.7, 0.8, 0.9, 0.95, 1};

/// A counter that is kept elsewhere may start anew.
inline void raise_by(prometheus::Counter& counter, std::int64_t more) {
    if (more > 0) counter.Increment(static_cast<double>(more));
}

}  // namespace tandem::gateway
