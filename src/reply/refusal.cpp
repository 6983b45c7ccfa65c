#include "reply/refusal.hpp"

#include "wire/sendable.hpp"

namespace tandem::detail {

std::optional<failure> refusal(std::string_view prompt, const generation_options& options) {
    if (auto faults = check(options); !faults.empty())
        return failure{errc::invalid_config,
                       {.client_message = config_error(std::move(faults)).what()}};
    return wire::refuse_prompt(prompt);
}

}  // namespace tandem::detail
