#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Where a command listens, as people write it: `127.0.0.1:8090`, `localhost:0`, `[::1]:8090`.
namespace tandem::command {

struct listen_address {
    /// Of IPv4 or IPv6, without brackets, or "localhost".
    std::string address;
    std::uint16_t port = 0;

    bool operator==(const listen_address&) const = default;
};

/// Nothing if the text is no such address with a port. Other names are none.
std::optional<listen_address> parse_listen_address(std::string_view text);

/// What a client writes: "http://[::1]:8090", or "https://…".
std::string http_url(const listen_address& a, bool is_tls = false);

}  // namespace tandem::command
