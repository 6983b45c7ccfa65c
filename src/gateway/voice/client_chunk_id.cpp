#include "gateway/voice/client_chunk_id.hpp"

#include "base/parse_number.hpp"

#include <fmt/format.h>

namespace tandem::gateway {

std::string to_string(const client_chunk_id& name) {
    return fmt::format("{}-{}", name.reply, name.seq);
}

std::optional<client_chunk_id> parse_client_chunk_id(std::string_view text) {
    const auto dash = text.find('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto reply = parse_number<decltype(client_chunk_id::reply)>(text.substr(0, dash));
    const auto seq = parse_number<decltype(client_chunk_id::seq)>(text.substr(dash + 1));
    if (!reply || !seq) return std::nullopt;
    return client_chunk_id{*reply, *seq};
}

}  // namespace tandem::gateway
