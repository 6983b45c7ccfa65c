#pragma once

#include "flags/config_layers.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

struct config_json {
    std::vector<setting> settings;
    std::vector<std::string> faults;
};

/// Reads the JSON object of a configuration file. Values have the type of their field; durations
/// are strings such as "250ms", or numbers of seconds. "servers" is a list of URLs, optionally with
/// models. Faults never contain a value, because it may be a key.
config_json read_config_json(const std::string& file, std::string_view text);

}  // namespace tandem::command
