#pragma once

#include "tandem/service_config.hpp"

#include <string>
#include <vector>

// What the commands that use several servers have in common.
namespace tandem::command {

/// The value of --placement.
void read_placement(const std::string& text, service_config& c, std::vector<std::string>& faults);
/// The value of --slots-per-conversation.
void read_slots_per_conversation(const std::string& text, service_config& c,
                                 std::vector<std::string>& faults);

/// What is wrong besides the configuration of each server, by the names of flags.
std::vector<std::string> service_faults(service_config c);

}  // namespace tandem::command
