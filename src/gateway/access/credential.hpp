#pragma once

#include <string_view>

namespace tandem::gateway {

/// The key that a request presents.
struct credential {
    enum class kind {
        missing,
        malformed,
        key,
    };
    kind what = kind::missing;
    /// Part of a header: 1 to max_key_bytes visible ASCII characters, if there is one.
    std::string_view key{};
};

/// Browsers cannot set headers on a WebSocket, and what stands in a URL is logged on its way. So
/// they offer the key as a subprotocol, as they do to OpenAI: `tandem-api-key.<key>`. They offer
/// another one, too, and that is the one to answer with: this one must not be repeated.
inline constexpr std::string_view key_protocol_prefix = "tandem-api-key.";

/// Reads the values of Authorization (`Bearer <key>`) and, only where that is empty, of
/// Sec-WebSocket-Protocol. Two keys are malformed, and so is what is too long to have one. Pure.
credential credential_of(std::string_view authorization, std::string_view websocket_protocols);

}  // namespace tandem::gateway
