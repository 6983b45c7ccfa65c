#pragma once

#include "gateway/telemetry/process_figures.hpp"

#include <prometheus/metric_family.h>
#include <vector>

// For gateway_metrics.
namespace tandem::gateway {

/// `tandem_build_info`: 1, with the version and the compiler as labels.
prometheus::MetricFamily build_family();

/// `process_*`, with the names and types that Prometheus' own clients use.
std::vector<prometheus::MetricFamily> families_of(const process_figures& p);

}  // namespace tandem::gateway
