#include "gateway/telemetry/collected_metrics.hpp"

#include "tandem/version.hpp"

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

template <class Number>
ClientMetric make_metric(MetricType type, Number value) {
    ClientMetric metric;
    (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
        static_cast<double>(value);
    return metric;
}

template <class Number>
MetricFamily family(const char* name, const char* help, MetricType type, Number value) {
    return {.name = name, .help = help, .type = type, .metric = {make_metric(type, value)}};
}

/// One metric for each server.
template <class Value>
MetricFamily by_server(const char* name, const char* help, MetricType type,
                       const cluster::cluster_status& s, Value value) {
    MetricFamily family{.name = name, .help = help, .type = type, .metric = {}};
    family.metric.reserve(s.servers.size());
    for (const auto& server : s.servers) {
        auto& metric = family.metric.emplace_back(make_metric(type, value(server.share)));
        metric.label = {{.name = "server", .value = server.name}};
    }
    return family;
}

}  // namespace

MetricFamily make_build_info_metric() {
    auto build = family("tandem_build_info", "Build information; always 1.", MetricType::Gauge, 1);
    build.metric.front().label = {{.name = "compiler", .value = compiler},
                                  {.name = "version", .value = TANDEM_VERSION_STRING}};
    return build;
}

std::vector<MetricFamily> make_process_metrics(const process_stats& p) {
    constexpr auto gauge = MetricType::Gauge;
    return {
        family("process_cpu_seconds_total", "User and system CPU time spent.", MetricType::Counter,
               p.cpu_seconds),
        family("process_resident_memory_bytes", "Resident memory.", gauge, p.resident_memory_bytes),
        family("process_virtual_memory_bytes", "Virtual memory.", gauge, p.virtual_memory_bytes),
        family("process_open_fds", "Open file descriptors.", gauge, p.open_fds),
        family("process_max_fds", "Maximum number of open file descriptors.", gauge, p.max_fds),
        family("process_start_time_seconds", "Unix time of the process start.", gauge,
               p.start_time_seconds)};
}

std::vector<MetricFamily> make_cluster_metrics(const cluster::cluster_status& s) {
    constexpr auto gauge = MetricType::Gauge;
    return {
        family("tandem_cluster_store_up", "1 if the cluster's store answers.", gauge, s.has_lease),
        by_server("tandem_cluster_slots_held", "Slots that this gateway has.", gauge, s,
                  [](const auto& share) { return share.held; }),
        by_server("tandem_cluster_slots_lost_total",
                  "Slots that other gateways took while the store was away.", MetricType::Counter,
                  s, [](const auto& share) { return share.lost; })};
}

}  // namespace tandem::gateway
