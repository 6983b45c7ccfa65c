#pragma once

#include "base/parse_number.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Identifies a chunk for clients, which do not see the library's ids: the reply's number in its
/// session, and the chunk's index in the reply. Sent as text such as "12-3", because clients may
/// round numbers.
struct client_chunk_id {
    std::uint64_t reply = 0;
    std::uint32_t seq = 0;

    friend auto operator<=>(const client_chunk_id&, const client_chunk_id&) = default;
};

inline std::string to_string(const client_chunk_id& name) {
    return std::to_string(name.reply) + '-' + std::to_string(name.seq);
}

/// Returns nullopt if the text is not a valid chunk id.
inline std::optional<client_chunk_id> parse_client_chunk_id(std::string_view text) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto reply = parse_number<decltype(client_chunk_id::reply)>(text.substr(0, dash));
    const auto seq = parse_number<decltype(client_chunk_id::seq)>(text.substr(dash + 1));
    if (!reply || !seq) return std::nullopt;
    return client_chunk_id{*reply, *seq};
}

}  // namespace tandem::gateway
