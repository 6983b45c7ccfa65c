#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::cluster {

/// The slots of a server, and those that a gateway has borrowed.
struct share_status {
    int slots = 0;
    int held = 0;
    /// Number of slots that the gateway has lost to others.
    std::int64_t lost = 0;
};

/// The state of a gateway in its cluster.
struct cluster_status {
    struct server {
        std::string name;
        share_status share;
    };

    /// Whether the gateway has a valid lease.
    bool has_lease = false;
    std::vector<server> servers{};
};

}  // namespace tandem::cluster
