#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <optional>
#include <string_view>

namespace tandem::detail {

/// Why a reply to this prompt with these options cannot even be started: invalid_config or
/// invalid_prompt; nothing if it can. Pure.
std::optional<failure> refusal(std::string_view prompt, const generation_options& options);

}  // namespace tandem::detail
