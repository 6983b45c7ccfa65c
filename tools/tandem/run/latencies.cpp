#include "run/latencies.hpp"

#include <boost/histogram/indexed.hpp>
#include <boost/histogram/make_histogram.hpp>

#include <algorithm>
#include <cmath>

namespace tandem::command {
namespace {

constexpr double shortest_ms = 1e-3;
constexpr double longest_ms = 3.6e6;
constexpr unsigned bin_count = 2211;  // ln(longest / shortest) / ln(1.01)

}  // namespace

std::size_t latencies::bytes() noexcept {
    constexpr unsigned beyond = 2;  // for what is shorter, and what is longer
    return sizeof(latencies) + (bin_count + beyond) * sizeof(std::uint64_t);
}

latencies::latencies() : bins_(std::tuple(axis(bin_count, shortest_ms, longest_ms))) {}

void latencies::add(duration time) {
    const auto at_least_none = std::max(time, duration{});
    bins_(to_ms(at_least_none));
    ++count_;
    max_ = std::max(max_, at_least_none);
}

void latencies::add(const latencies& other) {
    bins_ += other.bins_;
    count_ += other.count_;
    max_ = std::max(max_, other.max_);
}

latency_figures latencies::figures() const {
    if (count_ == 0) return {};
    return {count_, percentile(0.5), percentile(0.9), percentile(0.99), to_ms(max_)};
}

// The smallest edge that at least this share of the times does not exceed.
double latencies::percentile(double share) const {
    const auto rank = std::ceil(share * static_cast<double>(count_));
    double seen = 0;
    for (const auto& bin : boost::histogram::indexed(bins_, boost::histogram::coverage::all)) {
        seen += static_cast<double>(*bin);
        if (seen < rank) continue;
        const bool is_too_short = bin.index() < 0;
        return std::min(is_too_short ? shortest_ms : bin.bin().upper(), to_ms(max_));
    }
    return to_ms(max_);
}

}  // namespace tandem::command
