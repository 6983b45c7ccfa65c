#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tandem::cluster {

/// Numbers of a server's slots: all slots, and those that a gateway has borrowed or lost.
struct share_status {
    int slots = 0;
    int held = 0;
    /// How often another gateway got a slot that this gateway held and had not offered.
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
