#pragma once

#include "gateway/telemetry/process_stats.hpp"

#include <prometheus/metric_family.h>
#include <vector>

// Internal to gateway_metrics.
namespace tandem::gateway {

/// `tandem_build_info`: always 1, with version and compiler as labels.
prometheus::MetricFamily make_build_info_metric();

/// `process_*` metrics, with the names and types of Prometheus' official clients.
std::vector<prometheus::MetricFamily> make_process_metrics(const process_stats& p);

}  // namespace tandem::gateway
