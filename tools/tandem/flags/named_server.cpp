#include "flags/named_server.hpp"

#include <algorithm>

namespace tandem::command {

named_server parse_named_server(std::string_view text) {
    const auto is_url = [](std::string_view t) {
        return t.starts_with("http://") || t.starts_with("https://");
    };
    const auto at = std::min(text.find("=http://"), text.find("=https://"));
    // A URL may itself contain "=".
    if (is_url(text) || at == text.npos) return {.url = std::string(text)};
    return {std::string(text.substr(0, at)), std::string(text.substr(at + 1))};
}

}  // namespace tandem::command
