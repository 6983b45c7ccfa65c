#pragma once

#include <string_view>

namespace tandem::gateway {

/// The API key that a request presents.
struct credential {
    enum class kind {
        missing,
        malformed,
        key,
    };
    kind what = kind::missing;
    /// A view into a header: 1 to max_key_bytes visible ASCII characters; empty if there is no key.
    std::string_view key{};
};

/// Browsers cannot set headers on a WebSocket, and proxies log URLs. So browsers offer the key as a
/// subprotocol, `tandem-api-key.<key>`, as with OpenAI's API. They also offer a second subprotocol
/// for the gateway to select, because the response contains the selected subprotocol and must not
/// repeat the key.
inline constexpr std::string_view key_protocol_prefix = "tandem-api-key.";

/// Reads the values of Authorization (`Bearer <key>`) and, if that is empty, of
/// Sec-WebSocket-Protocol. Two keys, or an overlong header, are malformed. Pure.
credential parse_credential(std::string_view authorization, std::string_view websocket_protocols);

}  // namespace tandem::gateway
