#pragma once

#include "gateway/access/rights.hpp"
#include "gateway/json/api_error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

// All routes of the gateway, in one table. Pure.
namespace tandem::gateway {

/// The handler of a route.
enum class endpoint {
    preflight,
    live,
    ready,
    page,
    asset,
    metrics,
    list_models,
    show_model,
    chat_completions,
    completions,
    responses,
    // upgraded to a WebSocket
    response_socket,
    voice,
    load_adapter,
    show_job,
    list_adapters,
    list_servers,
    drain_server,
    undrain_server,
};

struct route {
    /// "GET", which includes HEAD, or "POST".
    std::string_view method;
    /// May have one parameter, in the notation of RFC 6570: `{id}` is one path segment, `{+id}` the
    /// remaining path. Model names contain slashes, and not all clients encode the slashes.
    std::string_view path;
    gateway::endpoint endpoint;
    right required_right;
};

/// Whether the route is a WebSocket. Limits then apply to each of its replies rather than to the
/// upgrade request.
constexpr bool is_websocket(endpoint e) noexcept {
    return e == endpoint::response_socket || e == endpoint::voice;
}

std::span<const route> all_routes() noexcept;

/// The route of preflight requests, in which browsers send no key. It is not in the table, because
/// a preflight request has the path of the route that the page wants to use.
inline constexpr route preflight_route{"OPTIONS", "*", endpoint::preflight, right::open};

struct matched_route {
    /// Points into all_routes().
    const gateway::route* route;
    /// The decoded parameter: 1 to 256 bytes of UTF-8 without control characters, backslashes, or
    /// segments that are empty, `.` or `..`; a single-segment parameter has no slash. Empty if the
    /// path has no parameter.
    std::string parameter{};
};

/// Longer targets are rejected as not found. Valid targets are far shorter, even with a
/// percent-encoded model name.
inline constexpr std::size_t max_target_bytes = 4096;
inline constexpr std::size_t max_parameter_bytes = 256;

/// Finds the route for a request line; the target may have a query. Each path has exactly one
/// spelling: only its parameter is decoded, and no segment is normalized. Without a
/// match, returns 404, or 405 with the allowed methods. Methods are case-sensitive, as in
/// HTTP.
std::variant<matched_route, api_error> match_route(std::string_view method,
                                                   std::string_view target);

}  // namespace tandem::gateway
