#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "service/server_list.hpp"

#include <span>

namespace tandem::services {

/// Explains why no server is available for a turn that began at `turn_began`.
failure explain_unavailability(std::span<const listed_server> servers,
                               const server_state_query& ask, time_point turn_began);

/// Whether each server was tried since `since`, but none has ever been reached: the setup is then
/// wrong.
bool no_server_ever_reached(std::span<const listed_server> servers, time_point since);

/// Whether there are servers, but each is drained.
bool are_all_drained(std::span<const listed_server> servers);

}  // namespace tandem::services
