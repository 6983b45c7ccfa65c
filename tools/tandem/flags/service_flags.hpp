#pragma once

#include "tandem/service_config.hpp"

#include <string>
#include <vector>

// Flags of the commands that use several servers.
namespace tandem::command {

/// Parses the value of --placement.
void read_placement(const std::string& text, service_config& c, std::vector<std::string>& faults);

/// Returns the faults of the service, named by flag, without the faults of the server
/// configuration.
std::vector<std::string> service_faults(service_config c);

}  // namespace tandem::command
