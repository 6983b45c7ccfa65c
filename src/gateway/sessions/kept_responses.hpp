#pragma once

#include "gateway/answers/bounded_cache.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/requests/response_request.hpp"

#include "tandem/server.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Responses that another request may continue by their id. Pure.
namespace tandem::gateway {

/// A response, and the whole conversation before it except the instructions.
struct kept_response {
    std::vector<chat_message> messages{};
    /// The conversation's affinity key, see generation_request.
    std::string affinity_key{};
};

/// Limits of the table. A table key is the name of the client's API key, a line feed, and the
/// response's id.
inline constexpr cache_limits kept_response_limits{
    .entries = 4096, .bytes = std::size_t{64} << 20, .ttl = std::chrono::seconds(60)};
using kept_response_table = bounded_cache<std::string, kept_response>;

/// Encodes the response as text for other gateways.
std::string serialize_kept_response(const kept_response& r);
/// Returns nullopt if the text was not made by serialize_kept_response().
std::optional<kept_response> parse_kept_response(std::string_view text);

/// Inserts the earlier conversation before the request's input. Returns a fault if the input lacks
/// the output of one of the earlier response's calls, or if there would be more than `max_messages`
/// messages.
std::optional<api_error> prepend_earlier_messages(response_request& request,
                                                  const kept_response& before,
                                                  std::size_t max_messages);

/// Returns the id of the response that contains the item with this id.
std::string find_response_id(std::string_view item);

/// Replaces references to items with the answers that contain them. `find` returns the response
/// with the given id, or nullptr. The items of an answer form one message, even if the client sent
/// only the first of them as a reference. Returns a fault for an unknown item, and as soon as the
/// texts of the answers exceed `max_bytes`.
std::optional<api_error> resolve_references(
    response_request& request, std::size_t max_bytes,
    const std::function<const kept_response*(const std::string& id)>& find);

/// The responses that the request refers to and that only other gateways may have, newest first. To
/// protect the store from clients, ids without the form of a response's id are skipped, and at most
/// 32 are returned. `is_here`: whether this gateway has a response.
std::vector<std::string> list_responses_to_fetch(
    const response_request& request, const std::function<bool(const std::string& id)>& is_here);

/// HTTP 503: only the cluster's store knows whether the response is kept, but it does not answer.
api_error make_store_unavailable_error(const response_request& request);
/// HTTP 400, as in OpenAI's API.
api_error make_response_not_found_error(const std::string& id);

}  // namespace tandem::gateway
