#include "gateway/access/credential.hpp"

#include "gateway/access/api_keys.hpp"
#include "gateway/access/header_text.hpp"

#include <boost/algorithm/string/predicate.hpp>

#include <algorithm>
#include <locale>

namespace tandem::gateway {
namespace {

using credential_kind = credential::kind;

constexpr std::string_view blanks = " \t";
constexpr std::string_view scheme = "Bearer";
// Room for the scheme and some blanks.
constexpr std::size_t max_authorization_bytes = max_key_bytes + 64;
// Room for a key and a few more protocols.
constexpr std::size_t max_protocols_bytes = 4096;

bool is_visible(char c) noexcept {
    return c > 0x20 && c < 0x7F;
}

credential key_or_malformed(std::string_view key) {
    const bool is_key =
        !key.empty() && key.size() <= max_key_bytes && std::ranges::all_of(key, is_visible);
    return is_key ? credential{credential_kind::key, key} : credential{credential_kind::malformed};
}

credential bearer(std::string_view authorization) {
    if (authorization.size() > max_authorization_bytes) return {credential_kind::malformed};
    const auto value = trim_blanks(authorization);
    if (value.empty()) return {credential_kind::missing};
    const auto blank = std::min(value.find_first_of(blanks), value.size());
    if (!boost::algorithm::iequals(value.substr(0, blank), scheme, std::locale::classic()))
        return {credential_kind::malformed};
    return key_or_malformed(trim_blanks(value.substr(blank)));
}

credential offered(std::string_view protocols) {
    if (protocols.size() > max_protocols_bytes) return {credential_kind::malformed};
    credential found;
    while (!protocols.empty()) {
        const auto end = std::min(protocols.find(','), protocols.size());
        const auto protocol = trim_blanks(protocols.substr(0, end));
        protocols.remove_prefix(std::min(end + 1, protocols.size()));
        if (!protocol.starts_with(key_protocol_prefix)) continue;
        if (found.what != credential_kind::missing) return {credential_kind::malformed};
        found = key_or_malformed(protocol.substr(key_protocol_prefix.size()));
    }
    return found;
}

}  // namespace

credential parse_credential(std::string_view authorization, std::string_view websocket_protocols) {
    return authorization.empty() ? offered(websocket_protocols) : bearer(authorization);
}

}  // namespace tandem::gateway
