#pragma once

#include <string>
#include <string_view>

// What is to be known of network addresses in text. Strict: forms such as `127.1` or `0x7f.0.0.1`,
// scopes and brackets are no addresses. Pure.
namespace tandem::gateway {

/// 127.0.0.0/8, also as IPv6 has it (`::ffff:127.0.0.1`), or `::1`.
bool is_loopback(std::string_view address);

/// Whether the gateway may listen there: anywhere with keys, else on loopback only. Of names only
/// `localhost` is loopback; what names mean must be asked again of the address that they stand for.
bool may_bind(std::string_view address, bool has_keys);

/// Whether a web page of this origin (`http://localhost:8090`, as browsers send it) comes from this
/// machine. A name that was made to stand for 127.0.0.1 does not make it so.
bool is_local_page(std::string_view origin);

/// Whom an address belongs to, as bytes to compare: an IPv4 address, or the 64 bits of an IPv6
/// address that distinguish networks, as one client may have all addresses in its network. Any
/// other text stands for itself, up to 64 bytes of it.
std::string client_of(std::string_view address);

}  // namespace tandem::gateway
