#pragma once

#include <string_view>

namespace tandem::gateway {

/// Protocol version of this build, which is the WebSocket subprotocol.
inline constexpr std::string_view voice_protocol = "tandem.voice.v1";

/// Whether a `Sec-WebSocket-Protocol` header offers the protocol. A request without the header is
/// acceptable, too; a client that offers only other protocols does not support this one.
bool offers_voice_protocol(std::string_view header) noexcept;

}  // namespace tandem::gateway
