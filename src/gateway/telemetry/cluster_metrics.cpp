#include "gateway/telemetry/cluster_metrics.hpp"

#include <string>
#include <utility>

namespace tandem::gateway {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

/// One metric for each server.
template <class Value>
MetricFamily by_server(const char* name, const char* help, MetricType type,
                       const cluster::cluster_status& s, Value value) {
    MetricFamily family{.name = name, .help = help, .type = type, .metric = {}};
    family.metric.reserve(s.servers.size());
    for (const auto& server : s.servers) {
        ClientMetric metric;
        metric.label = {{.name = "server", .value = server.name}};
        (type == MetricType::Counter ? metric.counter.value : metric.gauge.value) =
            static_cast<double>(value(server.share));
        family.metric.push_back(std::move(metric));
    }
    return family;
}

}  // namespace

std::vector<MetricFamily> make_cluster_metrics(const cluster::cluster_status& s) {
    ClientMetric lease;
    lease.gauge.value = s.has_lease ? 1 : 0;
    return {{.name = "tandem_cluster_store_up",
             .help = "1 if the cluster's store answers.",
             .type = MetricType::Gauge,
             .metric = {lease}},
            by_server("tandem_cluster_slots_held", "Slots that this gateway has.",
                      MetricType::Gauge, s, [](const auto& share) { return share.held; }),
            by_server("tandem_cluster_slots_lost_total",
                      "Slots that other gateways took while the store was away.",
                      MetricType::Counter, s, [](const auto& share) { return share.lost; })};
}

}  // namespace tandem::gateway
