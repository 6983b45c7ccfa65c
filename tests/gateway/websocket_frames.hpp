#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Builds WebSocket frames by hand, because client libraries send no invalid frames.
namespace tandem::testing {

inline std::string upgrade_request(const std::string& more = {}) {
    return "GET /v1/voice HTTP/1.1\r\nHost: gateway\r\nConnection: Upgrade\r\nUpgrade: "
           "websocket\r\n"
           "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" +
           more + "\r\n";
}

enum class opcode : unsigned char { more = 0, text = 1, binary = 2, close = 8, ping = 9 };

/// The fields in the first two bytes of a frame, except the length.
struct frame_head {
    opcode what = opcode::text;
    bool is_last = true;
    bool is_masked = true;
    unsigned char reserved = 0;  // three bits
};

/// Only the frame's head, for a payload of `size` bytes. The masking key is zero.
inline std::string head_of_frame(frame_head h, std::uint64_t size) {
    const auto byte = [](std::uint64_t value) { return static_cast<char>(value & 0xff); };
    const unsigned mask = h.is_masked ? 0x80 : 0;
    std::string bytes;
    bytes += byte((h.is_last ? 0x80u : 0u) | h.reserved * 0x10u | static_cast<unsigned>(h.what));
    const int length_bytes = size < 126 ? 0 : size < 65536 ? 2 : 8;
    bytes += byte(mask | (length_bytes == 0 ? size : length_bytes == 2 ? 126u : 127u));
    for (int i = length_bytes; i > 0; --i) bytes += byte(size >> (8 * (i - 1)));
    return bytes + std::string(h.is_masked ? 4 : 0, '\0');
}

inline std::string frame(std::string_view payload, frame_head h = {}) {
    return head_of_frame(h, payload.size()) + std::string(payload);
}

}  // namespace tandem::testing
