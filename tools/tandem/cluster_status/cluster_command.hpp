#pragma once

#include "cluster/cluster_options.hpp"

namespace tandem::command {

/// Options of `tandem cluster`.
struct cluster_command_options {
    cluster::cluster_options cluster{};
    bool json = false;
};

/// Runs `tandem cluster`; returns the exit status.
int run_cluster(const cluster_command_options& options);

}  // namespace tandem::command
