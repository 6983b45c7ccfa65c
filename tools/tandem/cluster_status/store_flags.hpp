#pragma once

#include "cluster/cluster_options.hpp"
#include "flags/config_layers.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The flags for the store of a cluster, and for a gateway in the cluster.
class store_flags {
 public:
    /// `is_member`: whether the command runs a gateway, which needs an id.
    void add_to(CLI::App& app, bool is_member);
    /// Returns nullopt without --cluster. The password is in the variable TANDEM_CLUSTER_PASSWORD.
    std::optional<cluster::cluster_options> read(const environment& variables,
                                                 std::vector<std::string>& faults) const;

 private:
    std::string url_;
    std::string name_;
    std::string gateway_id_;
};

}  // namespace tandem::command
