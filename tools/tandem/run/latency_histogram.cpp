#include "run/latency_histogram.hpp"

#include <boost/histogram/indexed.hpp>
#include <boost/histogram/make_histogram.hpp>

#include <algorithm>
#include <cmath>

namespace tandem::command {
namespace {

constexpr double min_binned_ms = 1e-3;
constexpr double max_binned_ms = 3.6e6;
constexpr unsigned bin_count = 2211;  // ln(longest / shortest) / ln(1.01)

}  // namespace

std::size_t latency_histogram::memory_bytes() noexcept {
    constexpr unsigned beyond = 2;  // underflow and overflow bins
    return sizeof(latency_histogram) + (bin_count + beyond) * sizeof(std::uint64_t);
}

latency_histogram::latency_histogram()
    : bins_(std::tuple(axis(bin_count, min_binned_ms, max_binned_ms))) {}

void latency_histogram::add(duration time) {
    const auto at_least_none = std::max(time, duration{});
    bins_(to_ms(at_least_none));
    ++count_;
    max_ = std::max(max_, at_least_none);
}

latency_stats latency_histogram::figures() const {
    if (count_ == 0) return {};
    return {count_, percentile(0.5), percentile(0.9), percentile(0.99), to_ms(max_)};
}

// Returns the upper edge of the bin that contains the percentile, or the maximum if that is lower.
double latency_histogram::percentile(double share) const {
    if (count_ == 0) return -1;
    const auto rank = std::ceil(share * static_cast<double>(count_));
    double seen = 0;
    for (const auto& bin : boost::histogram::indexed(bins_, boost::histogram::coverage::all)) {
        seen += static_cast<double>(*bin);
        if (seen < rank) continue;
        const bool is_too_short = bin.index() < 0;
        return std::min(is_too_short ? min_binned_ms : bin.bin().upper(), to_ms(max_));
    }
    return to_ms(max_);
}

}  // namespace tandem::command
