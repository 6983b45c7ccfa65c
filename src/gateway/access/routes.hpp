#pragma once

#include "gateway/access/rights.hpp"
#include "gateway/json/api_error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

// All that the gateway answers, in one table. Pure.
namespace tandem::gateway {

/// Who answers.
enum class endpoint {
    health,
    ready,
    page,
    asset,
    metrics,
    list_models,
    show_model,
    chat_completions,
    completions,
    voice,  ///< is upgraded to a WebSocket
    load_adapter,
    show_job,
    list_adapters,
};

struct route {
    /// "GET", which serves HEAD too, or "POST".
    std::string_view method;
    /// May have one parameter: `{id}` is one segment of the path, `{+id}` all that is left of it,
    /// as RFC 6570 writes it: names of models have slashes, and not all clients encode them.
    std::string_view path;
    gateway::endpoint endpoint;
    right needs;
};

std::span<const route> all_routes() noexcept;

struct found_route {
    /// Of all_routes().
    const gateway::route* route;
    /// The parameter, decoded: 1 to 256 bytes of UTF-8 without control characters and backslashes,
    /// and no `.` or `..` between its slashes; one of one segment has no slash. Empty if the path
    /// has none.
    std::string parameter{};
};

/// Longer ones are not there. Models have the longest names.
inline constexpr std::size_t max_target_bytes = 4096;
inline constexpr std::size_t max_parameter_bytes = 256;

/// The route for a request line, whose target may have a query. A path has one spelling: nothing
/// but its parameter is decoded, and no segment is dropped. Else an error: 404, or 405 with the
/// methods that are allowed. Methods are as HTTP has them, in upper case.
std::variant<found_route, api_error> find_route(std::string_view method, std::string_view target);

}  // namespace tandem::gateway
