#pragma once

#include "gateway/api_error.hpp"
#include "gateway/gatekeeper.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::gateway {

/// Which of these models a request asks for: its place in `names`, of which there is one at least.
/// Where there is one model, any name is taken for it, and none; where there are several the name
/// must be one of them (404). A model that the key may not use is refused with 403.
std::variant<std::size_t, api_error> choose_model(std::span<const std::string> names,
                                                  std::string_view asked, const admitted& who);

}  // namespace tandem::gateway
