#pragma once

#include "cluster/cluster_status.hpp"

#include <prometheus/metric_family.h>
#include <vector>

namespace tandem::gateway {

/// The gateway's place in a cluster.
std::vector<prometheus::MetricFamily> make_cluster_metrics(const cluster::cluster_status& s);

}  // namespace tandem::gateway
