#pragma once

#include "tandem/duration.hpp"

#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>

namespace tandem::command {

/// Distribution of durations in ms; -1 without samples.
struct latency_stats {
    std::int64_t count = 0;
    double p50 = -1;
    double p90 = -1;
    double p99 = -1;
    double max = -1;
};

/// A histogram of durations in bounded memory: bins 1 % wide, from 1 µs to 1 h. The maximum is
/// exact. Not thread-safe.
class latency_histogram {
 public:
    /// Memory of one object, independent of the number of samples.
    static std::size_t memory_bytes() noexcept;

    latency_histogram();
    /// Negative durations, which occur if timestamps come from two threads, are treated as 0.
    void add(duration time);
    void add_ms(double ms) { add(duration(static_cast<std::int64_t>(ms * 1e6))); }

    /// Each percentile is the upper edge of its bin, at most 1 % too high.
    latency_stats figures() const;
    /// Returns the time in ms that at least this share of the samples, from 0 to 1, does not
    /// exceed; -1 without samples.
    double percentile(double share) const;

 private:
    using axis = boost::histogram::axis::regular<double, boost::histogram::axis::transform::log>;
    using histogram = boost::histogram::histogram<std::tuple<axis>,
                                                  boost::histogram::dense_storage<std::uint64_t>>;

    histogram bins_;
    std::int64_t count_ = 0;
    duration max_{};
};

}  // namespace tandem::command
