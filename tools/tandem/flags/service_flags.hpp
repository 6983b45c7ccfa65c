#pragma once

#include "flags/command_flags.hpp"

#include "tandem/service_config.hpp"

#include <string>
#include <vector>

// Flags of the commands that use several servers.
namespace tandem::command {

/// Adds --placement. `what`: what is placed, such as "a request".
void add_placement(command_flags& flags, service_config& c, const char* what);

/// Adds the faults of the service, named by flag, without the faults of the server configuration.
void check_service(service_config c, std::vector<std::string>& faults);

}  // namespace tandem::command
