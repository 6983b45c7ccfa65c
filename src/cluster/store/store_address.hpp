#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::cluster {

/// The address of the store: `redis://host:port/db`, `rediss://` for TLS, `unix:///path`, or
/// `redis+sentinel://host:port,host:port/name` to ask sentinels for the current primary. A user
/// name may precede the host. An address contains no password.
struct store_address {
    struct host_and_port {
        std::string host{};
        std::uint16_t port = 0;

        friend bool operator==(const host_and_port&, const host_and_port&) = default;
    };

    /// The host of the store, or the hosts of the sentinels; empty for a Unix socket.
    std::vector<host_and_port> hosts{};
    /// Name under which the sentinels know the primary; empty without sentinels.
    std::string primary{};
    /// Path of a Unix socket.
    std::string path{};
    std::string user{};
    int database = 0;
    bool uses_tls = false;

    friend bool operator==(const store_address&, const store_address&) = default;
};

/// An address, or a fault. The fault never contains a password.
struct parsed_store_address {
    store_address address{};
    std::optional<std::string> fault{};
};

parsed_store_address parse_store_address(std::string_view text);

/// The address as text for log messages.
std::string to_string(const store_address& a);

}  // namespace tandem::cluster
