#include "serve/adapter_flag.hpp"

#include "base/parse_number.hpp"

#include <string>

namespace tandem::command {

std::optional<gateway::allowed_adapter> parse_adapter(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == text.npos) return std::nullopt;
    gateway::allowed_adapter a{.name = std::string(text.substr(0, equals))};
    const auto rest = text.substr(equals + 1);
    const auto at = rest.find('@');
    const auto id = parse_number<int>(rest.substr(0, at));
    if (at != rest.npos) a.model = rest.substr(at + 1);
    if (!id || (at != rest.npos && a.model.empty())) return std::nullopt;
    a.id = *id;
    return a;
}

}  // namespace tandem::command
