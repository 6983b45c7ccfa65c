#pragma once

#include "gateway/json/api_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Web pages of other origins as clients: the CORS protocol (Fetch standard, section 3.2). Pure.
namespace tandem::gateway {

/// Why this text cannot be allowed as an origin; nullopt if it can be. Origins such as
/// "https://bot.example" and "http://localhost:3000" are valid, and so is "*" for all origins.
std::optional<std::string> find_origin_fault(std::string_view origin);

/// Whether pages of this origin may read the gateway's answers. `origin` is spelled as browsers
/// send it.
bool is_origin_allowed(const std::vector<std::string>& allowed, std::string_view origin);

/// HTTP 403.
api_error make_origin_error(std::string_view origin);

/// Headers that a page may read, in addition to the few that browsers always expose.
inline constexpr std::string_view exposed_headers = "X-Request-Id, X-Tandem-Cache, Retry-After";

/// Methods of all routes.
inline constexpr std::string_view allowed_methods = "GET, POST";

/// How long a browser may keep the answer to a preflight request, in seconds.
inline constexpr std::string_view preflight_lifetime = "600";

}  // namespace tandem::gateway
