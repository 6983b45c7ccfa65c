#include "gateway/telemetry/process_metrics.hpp"

#include <utility>

namespace tandem::gateway {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

#if defined(__clang__)
constexpr const char* compiler = __VERSION__;  // includes the compiler's name
#else
constexpr const char* compiler = "GCC " __VERSION__;
#endif

MetricFamily family(const char* name, const char* help, MetricType type, double value) {
    ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    return {.name = name, .help = help, .type = type, .metric = {std::move(metric)}};
}

}  // namespace

MetricFamily make_build_info_metric() {
    auto build = family("tandem_build_info", "Build information; always 1.", MetricType::Gauge, 1);
    build.metric.front().label = {{.name = "compiler", .value = compiler},
                                  {.name = "version", .value = TANDEM_VERSION}};
    return build;
}

std::vector<MetricFamily> make_process_metrics(const process_stats& p) {
    constexpr auto gauge = MetricType::Gauge;
    const auto number = [](std::int64_t n) { return static_cast<double>(n); };
    return {family("process_cpu_seconds_total", "User and system CPU time spent.",
                   MetricType::Counter, p.cpu_seconds),
            family("process_resident_memory_bytes", "Resident memory.", gauge,
                   number(p.resident_memory_bytes)),
            family("process_virtual_memory_bytes", "Virtual memory.", gauge,
                   number(p.virtual_memory_bytes)),
            family("process_open_fds", "Open file descriptors.", gauge, number(p.open_fds)),
            family("process_max_fds", "Maximum number of open file descriptors.", gauge,
                   number(p.max_fds)),
            family("process_start_time_seconds", "Unix time of the process start.", gauge,
                   p.start_time_seconds)};
}

}  // namespace tandem::gateway
