#include "gateway/access/network_address.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <optional>
#include <span>

namespace tandem::gateway {
namespace {

/// IPv4 addresses are stored as IPv4-mapped IPv6 addresses.
using address_bytes = std::array<unsigned char, 16>;

constexpr std::array<unsigned char, 12> ipv4_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
constexpr address_bytes ipv6_loopback{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};

std::optional<address_bytes> bytes_of(std::string_view address) {
    if (address.find('\0') != std::string_view::npos) return std::nullopt;
    const std::string text(address);
    address_bytes bytes{};
    if (inet_pton(AF_INET6, text.c_str(), bytes.data()) == 1) return bytes;
    std::ranges::copy(ipv4_prefix, bytes.begin());
    if (inet_pton(AF_INET, text.c_str(), bytes.data() + ipv4_prefix.size()) == 1) return bytes;
    return std::nullopt;
}

bool is_ipv4(const address_bytes& bytes) noexcept {
    return std::ranges::equal(ipv4_prefix, std::span(bytes).first<ipv4_prefix.size()>());
}

}  // namespace

bool is_loopback(std::string_view address) {
    const auto bytes = bytes_of(address);
    if (!bytes) return false;
    return is_ipv4(*bytes) ? (*bytes)[ipv4_prefix.size()] == 127 : *bytes == ipv6_loopback;
}

bool is_bind_allowed(std::string_view address, bool has_keys) {
    return has_keys || address == "localhost" || is_loopback(address);
}

bool is_local_origin(std::string_view origin) {
    const auto scheme = origin.find("://");
    if (scheme == origin.npos) return false;
    auto host = origin.substr(scheme + 3);
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        return end != host.npos && is_loopback(host.substr(1, end - 1));
    }
    host = host.substr(0, host.find(':'));
    return host == "localhost" || is_loopback(host);
}

std::string client_network_key(std::string_view address) {
    constexpr std::size_t max_bytes = 64;
    constexpr std::ptrdiff_t network_bytes = 8;
    const auto bytes = bytes_of(address);
    if (!bytes) return "?" + std::string(address.substr(0, max_bytes));
    if (is_ipv4(*bytes)) return {bytes->begin() + ipv4_prefix.size(), bytes->end()};
    return {bytes->begin(), bytes->begin() + network_bytes};
}

}  // namespace tandem::gateway
