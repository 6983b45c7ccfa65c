#pragma once

#include "base/time.hpp"
#include "cluster/store/store_address.hpp"

#include <string>

namespace tandem::cluster {

/// The membership of a gateway in a cluster.
struct cluster_options {
    store_address store{};
    std::string password{};
    /// Certificates for TLS to the store; empty = the system's.
    std::string ca_file{};
    /// Several clusters may use one store under different names.
    std::string name = "tandem";
    /// Unique in the cluster. A gateway joins only when no other process with its id has a lease.
    std::string gateway_id{};
};

/// Duration of a gateway's lease in the store. The gateway renews the lease every
/// `renewal_interval`, and stops using its slots a second before the lease ends.
inline constexpr duration lease_time = std::chrono::seconds(3);
inline constexpr duration renewal_interval = std::chrono::milliseconds(500);

}  // namespace tandem::cluster
