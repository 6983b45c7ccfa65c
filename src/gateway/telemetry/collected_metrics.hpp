#pragma once

#include "cluster/cluster_status.hpp"
#include "gateway/telemetry/process_stats.hpp"

#include <prometheus/metric_family.h>
#include <vector>

// Metrics whose values are read at collection time. Internal to gateway_metrics.
namespace tandem::gateway {

/// `tandem_build_info`: always 1, with version and compiler as labels.
prometheus::MetricFamily make_build_info_metric();

/// `process_*` metrics, with the names and types of Prometheus' official clients.
std::vector<prometheus::MetricFamily> make_process_metrics(const process_stats& p);

/// Metrics of the gateway as a member of a cluster.
std::vector<prometheus::MetricFamily> make_cluster_metrics(const cluster::cluster_status& s);

}  // namespace tandem::gateway
