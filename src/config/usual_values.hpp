#pragma once

#include "tandem/config.hpp"

#include <chrono>
#include <optional>

// What holds where nobody has set a field.
namespace tandem::detail {

/// Fills unset sampling fields with the defaults of a `client`.
config with_sampling_of_client(config c);

/// Settings of a server's slots that apply while nobody in the process has set them.
struct slot_defaults {
    int slots = 0;  ///< 0 = all
    duration reuse_guard = auto_guard;
};
inline constexpr slot_defaults defaults_of_client{.slots = 2,
                                                  .reuse_guard = std::chrono::seconds(2)};
/// For clients that the commands make.
inline constexpr slot_defaults defaults_of_command{.slots = 2};
inline constexpr slot_defaults defaults_of_service{};

/// The guard that is set; nothing = as the server's build allows.
std::optional<duration> fixed_guard(const config& c);

/// The sampling that `o` leaves unset is that of `usual`.
generation_options with_sampling_of(generation_options o, const generation_options& usual);

}  // namespace tandem::detail
