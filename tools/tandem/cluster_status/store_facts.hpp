#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// The store of a cluster.
struct store_facts {
    /// Why the store could not be read; empty if it could.
    std::string fault{};
    /// Such as "Redis 7.0.15"; empty if unknown.
    std::string product{};
    /// Major version of Redis, or of the Redis that Valkey claims to be; 0 = unknown.
    int major_version = 0;
    bool is_replica = false;
    std::string eviction_policy{};
    std::int64_t used_bytes = 0;
    /// 0 = no limit.
    std::int64_t max_bytes = 0;
    /// Median of several PING commands.
    double round_trip_ms = -1;
    /// Ids of the gateways that have a lease.
    std::vector<std::string> gateways{};
    /// The names of the servers that these gateways serve.
    std::vector<std::string> servers{};
};

/// Reads the answer to the store's command INFO. Fields that are missing keep their defaults.
store_facts parse_store_info(std::string_view text);

}  // namespace tandem::command
