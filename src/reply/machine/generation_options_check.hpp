#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <optional>

namespace tandem::detail {

/// Why a reply with these options cannot be started: invalid_config with every fault, or nullopt if
/// it can. Pure.
std::optional<failure> check_generation_options(const generation_options& options);

}  // namespace tandem::detail
