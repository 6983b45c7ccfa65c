#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <optional>
#include <utility>

namespace tandem::detail {

/// Why a reply with these options cannot be started: invalid_config with every fault, or nullopt if
/// it can. Pure.
inline std::optional<failure> check_generation_options(const generation_options& options) {
    if (auto faults = check(options); !faults.empty())
        return failure{errc::invalid_config,
                       {.client_message = config_error(std::move(faults)).what()}};
    return std::nullopt;
}

}  // namespace tandem::detail
