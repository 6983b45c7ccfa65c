#pragma once

#include "cluster/cluster_options.hpp"
#include "cluster_status/cluster_view.hpp"

#include <string>

namespace tandem::command {

struct cluster_command_options {
    cluster::cluster_options cluster{};
    /// What the command shows.
    cluster_view_part part = cluster_view_part::status;
    /// The server to drain (if `is_drained`) or undrain, as server_url::identity; empty = show
    /// `part`.
    std::string server{};
    bool is_drained = false;
    bool json = false;
};

/// Runs `tandem cluster`; returns the exit status.
int run_cluster(const cluster_command_options& options);

}  // namespace tandem::command
