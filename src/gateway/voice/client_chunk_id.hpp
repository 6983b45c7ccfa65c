#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Identifies a chunk for clients: the reply's number in its session, and the chunk's index in the
/// reply. Hides the library's ids. Sent as text such as "12-3", so that no client parses it as a
/// number and rounds it.
struct client_chunk_id {
    std::uint64_t reply = 0;
    std::uint32_t seq = 0;

    friend auto operator<=>(const client_chunk_id&, const client_chunk_id&) = default;
};
std::string to_string(const client_chunk_id& name);
/// Returns nullopt if the text is not a valid chunk id.
std::optional<client_chunk_id> parse_client_chunk_id(std::string_view text);

}  // namespace tandem::gateway
