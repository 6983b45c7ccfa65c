#pragma once

#include "gateway/access/api_keys.hpp"
#include "gateway/access/gatekeeper.hpp"
#include "gateway/answers/model_list.hpp"
#include "gateway/json/api_error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// Which of these models a request asks for: its place in `names`, of which there is one at least.
/// Where there is one model, any name is taken for it, and none; where there are several the name
/// must be one of them (404). A model that the key may not use is refused with 403.
std::variant<std::size_t, api_error> choose_model(std::span<const std::string> names,
                                                  std::string_view asked, const admitted& who);

/// Those of these models that it may use, in their order: the others are none of its business.
std::vector<model_info> models_for(std::span<const std::string> names, const admitted& who,
                                   std::int64_t created = 0);

/// A line for each model of a key that is none of these: it opens nothing, and may be a slip of the
/// pen.
std::vector<std::string> unserved_models(const api_keys& keys, std::span<const std::string> names);

}  // namespace tandem::gateway
