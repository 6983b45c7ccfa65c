#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// A listening address such as `127.0.0.1:8090`, `localhost:0` or `[::1]:8090`.
namespace tandem::command {

struct listen_address {
    /// An IPv4 or IPv6 address without brackets, or "localhost".
    std::string address;
    std::uint16_t port = 0;

    bool operator==(const listen_address&) const = default;
};

/// Parses an address with a port. Returns nothing for any other text, including host names other
/// than "localhost".
std::optional<listen_address> parse_listen_address(std::string_view text);

/// Returns the URL for clients: "http://[::1]:8090", or "https://…".
std::string http_url(const listen_address& a, bool is_tls = false);

}  // namespace tandem::command
