#include "reply/machine/generation_options_check.hpp"

namespace tandem::detail {

std::optional<failure> check_generation_options(const generation_options& options) {
    if (auto faults = check(options); !faults.empty())
        return failure{errc::invalid_config,
                       {.client_message = config_error(std::move(faults)).what()}};
    return std::nullopt;
}

}  // namespace tandem::detail
