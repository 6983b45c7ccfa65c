#pragma once

#include "gateway/access/header_text.hpp"

#include <algorithm>
#include <string_view>

namespace tandem::gateway {

/// Protocol version of this build, used as the WebSocket subprotocol.
inline constexpr std::string_view voice_protocol = "tandem.voice.v1";

/// Whether a `Sec-WebSocket-Protocol` header offers the protocol. Reject a client that offers only
/// other protocols, but not one without the header.
inline bool offers_voice_protocol(std::string_view header) noexcept {
    while (!header.empty()) {
        const auto comma = std::min(header.find(','), header.size());
        if (trim_blanks(header.substr(0, comma)) == voice_protocol) return true;
        header.remove_prefix(std::min(comma + 1, header.size()));
    }
    return false;
}

}  // namespace tandem::gateway
