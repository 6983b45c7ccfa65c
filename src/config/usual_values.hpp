#pragma once

#include "tandem/config.hpp"

#include <optional>

// What holds where nobody has set a field.
namespace tandem::detail {

/// Sets what is unset to a client's own values: two slots, a guard of 2 s, and its sampling.
config with_values_of_client(config c);

/// The guard that is set; nothing = as the server's build allows.
std::optional<duration> fixed_guard(const config& c);

/// The sampling that `o` leaves unset is that of `usual`.
generation_options with_sampling_of(generation_options o, const generation_options& usual);

}  // namespace tandem::detail
