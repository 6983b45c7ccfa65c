#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

// Families of metrics, and buckets of histograms.
namespace tandem::gateway {

using counter_family = prometheus::Family<prometheus::Counter>;
using gauge_family = prometheus::Family<prometheus::Gauge>;
using histogram_family = prometheus::Family<prometheus::Histogram>;

/// Upper bounds in seconds: `wait_buckets` for delays that a listener notices, `lifetime_buckets`
/// for durations up to minutes.
inline const prometheus::Histogram::BucketBoundaries wait_buckets{
    0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 30};
inline const prometheus::Histogram::BucketBoundaries lifetime_buckets{
    0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800};
inline const prometheus::Histogram::BucketBoundaries shares{0,   0.1, 0.2, 0.3, 0.4,  0.5,
                                                            0.6, 0.7, 0.8, 0.9, 0.95, 1};

// These functions register a family, or return the existing family with this name.

inline counter_family& register_counters(prometheus::Registry& in, const char* name,
                                         const char* help) {
    return prometheus::BuildCounter().Name(name).Help(help).Register(in);
}
inline gauge_family& register_gauges(prometheus::Registry& in, const char* name, const char* help) {
    return prometheus::BuildGauge().Name(name).Help(help).Register(in);
}
inline histogram_family& register_histograms(prometheus::Registry& in, const char* name,
                                             const char* help) {
    return prometheus::BuildHistogram().Name(name).Help(help).Register(in);
}

}  // namespace tandem::gateway
