#pragma once

#include "gateway/access/api_keys.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/json/api_error.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Resolves the requested model to its index in `names`, which must not be empty. If there is only
/// one model, any requested name selects it, and so does an empty name. With several models, an
/// unknown name is an error (404). A model that the key may not use is an error, too (403).
std::variant<std::size_t, api_error> choose_model(std::span<const std::string> names,
                                                  std::string_view asked,
                                                  const admitted_request& who);

/// The models that the key may use, in the order of `names`. Clients must not learn of other
/// models.
std::vector<std::string> list_allowed_models(std::span<const std::string> names,
                                             const admitted_request& who);

/// The 404 error for an unknown model, whether a path or a request's body names it. The message
/// lists the available models.
api_error make_model_not_found_error(std::string_view id, std::span<const std::string> models);

/// A warning for each model that a key lists but that is not served: the entry has no effect and
/// may be a typo.
std::vector<std::string> make_unserved_model_warnings(const api_keys& keys,
                                                      std::span<const std::string> names);

}  // namespace tandem::gateway
