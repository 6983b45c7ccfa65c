#pragma once

#include <string>
#include <string_view>

// Predicates on network addresses in text form. Strict: `127.1`, `0x7f.0.0.1`, scopes and brackets
// are invalid. Pure.
namespace tandem::gateway {

/// 127.0.0.0/8, also mapped to IPv6 (`::ffff:127.0.0.1`), or `::1`.
bool is_loopback(std::string_view address);

/// Whether the gateway may listen on this address: on any address with keys, otherwise only on
/// loopback. `localhost` is the only host name treated as loopback; check other names again after
/// resolving them.
bool is_bind_allowed(std::string_view address, bool has_keys);

/// Whether a web page of this origin is from this machine. Browsers send origins in the form
/// `http://localhost:8090`. Checks only the name, so a foreign name that resolves to 127.0.0.1 (DNS
/// rebinding) is not local.
bool is_local_origin(std::string_view origin);

/// Returns bytes that identify the client at an address: an IPv4 address, or the 64-bit network
/// prefix of an IPv6 address, because one client may own a whole network. For any other text,
/// returns its first 64 bytes.
std::string client_network_key(std::string_view address);

}  // namespace tandem::gateway
