#include "gateway/voice/voice_protocol.hpp"

#include "gateway/access/header_text.hpp"

#include <algorithm>

namespace tandem::gateway {

bool offers_voice_protocol(std::string_view header) noexcept {
    while (!header.empty()) {
        const auto comma = std::min(header.find(','), header.size());
        if (trim_blanks(header.substr(0, comma)) == voice_protocol) return true;
        header.remove_prefix(std::min(comma + 1, header.size()));
    }
    return false;
}

}  // namespace tandem::gateway
