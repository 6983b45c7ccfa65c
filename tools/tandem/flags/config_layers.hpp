#pragma once

#include "flags/named_server.hpp"

#include "tandem/config.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A value for a field, and its origin as shown to users: "--slots" or "TANDEM_SLOTS".
struct setting {
    std::string origin;
    std::string field;
    std::string text;
};

/// Environment variables by name.
using environment = std::map<std::string, std::string>;

/// The default configuration of the commands.
config default_config();

/// Merges the sources of a configuration: defaults, file, environment variables, flags. Later
/// layers override earlier ones. Collects faults with their origin.
class config_layers {
 public:
    /// From this call on, servers may have any form that parse_named_server() accepts.
    void allow_model_names() noexcept { takes_model_names_ = true; }

    /// `json` is an object with field names as keys; `name` is the name of the file.
    void add_file(const std::string& name, std::string_view json);
    /// Reads the `TANDEM_*` variables; an empty variable is treated as unset. A variable that
    /// resembles the name of a field is a fault; other unknown variables are ignored.
    void add_environment(const environment& variables);
    void add(const std::vector<setting>& layer);

    /// Checks the values and returns all faults. Must be called last.
    std::vector<std::string> faults();
    const config& result() const noexcept { return config_; }
    /// All `url` values of the topmost layer that sets any; empty if no layer does.
    const std::vector<named_server>& servers() const noexcept { return servers_; }
    /// Returns true if any layer sets this field.
    bool has(const std::string& field) const { return origins_.contains(field); }

 private:
    void begin_list(const std::string& name);
    void set(const setting& s);
    void set_value(const setting& s);
    void add_server(const setting& s);

    config config_ = default_config();
    std::vector<named_server> servers_;
    bool takes_model_names_ = false;
    std::vector<std::string> faults_;
    std::map<std::string, std::string> origins_;
    /// The lists that have elements of the current layer, so that further elements are appended.
    std::set<std::string> begun_lists_;
};

/// "reuse_guard" → "--reuse-guard".
std::string flag_name(std::string_view field);
/// "reuse_guard" → "TANDEM_REUSE_GUARD".
std::string variable_name(std::string_view field);

}  // namespace tandem::command
