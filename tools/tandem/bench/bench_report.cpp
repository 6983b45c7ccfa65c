#include "bench/bench_report.hpp"

#include <algorithm>

namespace tandem::command {
namespace {

double over(double value, double divisor) noexcept {
    return divisor > 0 ? value / divisor : 0;
}

}  // namespace

double bench_report::cpu_us_per_token() const noexcept {
    return over(cost.loop_cpu_seconds * 1e6, static_cast<double>(figures.generated));
}

double bench_report::tokens_per_second() const noexcept {
    return over(static_cast<double>(figures.generated), cost.seconds);
}

double bench_report::replies_per_second() const noexcept {
    return over(static_cast<double>(figures.complete + figures.interrupted), cost.seconds);
}

double bench_report::loop_load() const noexcept {
    return over(cost.loop_cpu_seconds, cost.seconds);
}

std::int64_t bench_report::bytes_per_stream() const noexcept {
    if (cost.peak_streams == 0) return 0;
    return std::max<std::int64_t>(0, cost.rss_peak - cost.rss_before) / cost.peak_streams;
}

}  // namespace tandem::command
