#include "serve/adapter_flag.hpp"

#include <charconv>
#include <string>

namespace tandem::command {

std::optional<gateway::allowed_adapter> parse_adapter(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == text.npos) return std::nullopt;
    gateway::allowed_adapter a{.name = std::string(text.substr(0, equals))};
    const auto rest = text.substr(equals + 1);
    const auto at = rest.find('@');
    const auto id = rest.substr(0, at);
    const auto read = std::from_chars(id.data(), id.data() + id.size(), a.id);
    const bool is_read = read.ec == std::errc() && read.ptr == id.data() + id.size();
    if (at != rest.npos) a.model = rest.substr(at + 1);
    if (!is_read || (at != rest.npos && a.model.empty())) return std::nullopt;
    return a;
}

}  // namespace tandem::command
