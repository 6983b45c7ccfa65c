#pragma once

#include "base/failure.hpp"

#include "tandem/config.hpp"

#include <optional>
#include <utility>

namespace tandem::detail {

/// Returns nullopt if a reply can be started with these options; otherwise, invalid_config with all
/// faults. Pure.
inline std::optional<failure> check_generation_options(const generation_options& options) {
    if (auto faults = check(options); !faults.empty())
        return failure{errc::invalid_config,
                       {.client_message = config_error(std::move(faults)).what()}};
    return std::nullopt;
}

}  // namespace tandem::detail
