#pragma once

#include "tandem/config.hpp"

#include <chrono>
#include <optional>

// Defaults for fields that the user has not set.
namespace tandem::detail {

/// Fills unset sampling fields with the defaults of a `client`.
config apply_client_sampling_defaults(config c);

/// Slot settings that apply to a server until a client or service in the process sets them.
struct slot_defaults {
    int slots = 0;  ///< 0 = all
    duration reuse_guard = auto_guard;
};
inline constexpr slot_defaults client_slot_defaults{.slots = 2,
                                                    .reuse_guard = std::chrono::seconds(2)};
/// For clients of the `tandem` command.
inline constexpr slot_defaults command_slot_defaults{.slots = 2};
inline constexpr slot_defaults service_slot_defaults{};

/// The configured guard; nullopt if it is unset, or depends on the server's build.
std::optional<duration> configured_reuse_guard(const config& c);

/// Fills the sampling fields that are unset in `o` with those of `defaults`.
generation_options merge_sampling_defaults(generation_options o,
                                           const generation_options& defaults);

}  // namespace tandem::detail
