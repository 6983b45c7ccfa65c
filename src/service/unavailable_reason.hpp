#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "service/server_list.hpp"

#include <span>

namespace tandem::services {

/// Why no server is available for a turn that began at this time.
failure explain_unavailability(std::span<const listed_server> servers,
                               const server_state_query& ask, time_point turn_began);

/// Whether connections were attempted since then, but no server has ever been reached, which means
/// that the setup is wrong.
bool no_server_ever_reached(std::span<const listed_server> servers, time_point since);

/// Whether there are servers, but each is drained.
bool are_all_drained(std::span<const listed_server> servers);

}  // namespace tandem::services
