#pragma once

#include "gateway/access/api_keys.hpp"
#include "gateway/requests/chat_request.hpp"
#include "gateway/requests/completion_request.hpp"

#include <optional>
#include <string_view>

// Identifies equal questions. Pure.
namespace tandem::gateway {

/// SHA-256 of everything that affects the answer: the model, the messages or the prompt, and the
/// options as sent to the server, with tools and formats. The client and the response format are
/// not part of the key.
using request_digest = sha256_hash;

/// Only deterministic requests have a key: not streamed, temperature 0, and no further sampling
/// fields. Requests with different scopes never share a key. Also returns nullopt if hashing fails.
std::optional<request_digest> make_cache_key(const chat_request& request, std::string_view model,
                                             std::string_view scope = {});
std::optional<request_digest> make_cache_key(const completion_request& request,
                                             std::string_view model, std::string_view scope = {});

/// Whether a Cache-Control header excludes shared answers: `no-cache` or `no-store`.
bool bypasses_cache(std::string_view cache_control);

}  // namespace tandem::gateway
