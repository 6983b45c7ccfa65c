#pragma once

#include "tandem/duration.hpp"

#include <boost/histogram/axis/regular.hpp>
#include <boost/histogram/histogram.hpp>
#include <boost/histogram/storage_adaptor.hpp>

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

namespace tandem::command {

/// How times are spread, in ms; -1 if there was none.
struct latency_figures {
    std::int64_t count = 0;
    double p50 = -1;
    double p90 = -1;
    double p99 = -1;
    double max = -1;
};

/// Any number of times in bounded memory: counts in bins that are 1 % wide, from 1 µs to 1 h. The
/// greatest one is kept as it is. Not thread-safe.
class latencies {
 public:
    /// What one object takes, whatever is added.
    static std::size_t bytes() noexcept;

    latencies();
    /// A time below 0, as clocks of two threads may give it, counts as 0.
    void add(duration time);
    void add_ms(double ms) { add(duration(static_cast<std::int64_t>(ms * 1e6))); }
    void add(const latencies& other);

    /// A percentile is the upper edge of its bin, at most 1 % too long.
    latency_figures figures() const;

 private:
    using axis = boost::histogram::axis::regular<double, boost::histogram::axis::transform::log>;
    using histogram = boost::histogram::histogram<std::tuple<axis>,
                                                  boost::histogram::dense_storage<std::uint64_t>>;

    double percentile(double share) const;

    histogram bins_;
    std::int64_t count_ = 0;
    duration max_{};
};

}  // namespace tandem::command
