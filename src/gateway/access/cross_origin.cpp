#include "gateway/access/cross_origin.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::gateway {
namespace {

bool is_host_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
}

}  // namespace

// Rejects spellings that no browser sends: origins are compared byte by byte, so they would never
// match.
std::optional<std::string> find_origin_fault(std::string_view origin) {
    if (origin == "*") return std::nullopt;
    const auto scheme = origin.find("://");
    if (scheme == origin.npos || scheme == 0)
        return "must be an origin, such as https://bot.example, or *";
    const auto host = origin.substr(scheme + 3);
    if (host.find('/') != host.npos)
        return fmt::format("has a path; omit it: {}",
                           origin.substr(0, origin.find('/', scheme + 3)));
    if (host.empty() || !std::ranges::all_of(host, is_host_character))
        return "must have a host in lower case, as browsers send it";
    return std::nullopt;
}

api_error make_origin_error(std::string_view origin) {
    return make_error(
        403, "foreign_origin",
        fmt::format("the gateway does not allow web pages of {}: start it with --allow-origin, or "
                    "open the page from its machine",
                    quote_text(origin)));
}

bool is_origin_allowed(const std::vector<std::string>& allowed, std::string_view origin) {
    return !origin.empty() && std::ranges::any_of(allowed, [origin](const std::string& a) {
        return a == "*" || a == origin;
    });
}

}  // namespace tandem::gateway
