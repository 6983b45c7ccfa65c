#pragma once

#include "base/time.hpp"
#include "cluster/store/store_address.hpp"

#include <string>

namespace tandem::cluster {

/// A gateway's place in a cluster.
struct cluster_options {
    store_address store{};
    std::string password{};
    /// Certificates for TLS to the store; empty = the system's.
    std::string ca_file{};
    /// Several clusters may use one store under different names.
    std::string name = "tandem";
    /// Unique in the cluster. A gateway that starts again under the same id takes its slots back.
    std::string gateway_id{};
};

/// How long the store keeps what a gateway has after its last beat; the gateway itself uses its
/// slots a second less.
inline constexpr duration lease_time = std::chrono::seconds(3);
inline constexpr duration beat_interval = std::chrono::milliseconds(500);

}  // namespace tandem::cluster
