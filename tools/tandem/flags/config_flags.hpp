#pragma once

#include "flags/config_layers.hpp"

#include "tandem/config_fields.hpp"

#include <CLI/CLI.hpp>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tandem::command {

/// Flags for the fields of the configuration and for its sources. The object must outlive the
/// parsing.
class config_flags {
 public:
    /// Adds a flag for each field that `wanted` accepts; other fields can still be set by
    /// environment variables and the file. The help shows the values of `defaults`.
    void add_to(
        CLI::App& app,
        const std::function<bool(const field_info&)>& wanted = [](const auto&) { return true; },
        const config& defaults = default_config());

    /// Accepts every form of server that parse_named_server() accepts, instead of URLs only.
    void allow_model_names() noexcept { takes_model_names_ = true; }

    /// The configuration merged from all sources.
    struct loaded {
        config value;
        /// All given URLs; `value` contains the last one.
        std::vector<std::string> urls;
        /// The given servers: these URLs with their models, and files that list URLs.
        std::vector<named_server> servers;
        bool has_continue_timeout = false;
    };
    /// `lowest` is the layer with the lowest priority.
    loaded load(const environment& variables, std::vector<std::string>& faults,
                const std::vector<setting>& lowest = {}) const;

 private:
    struct flag {
        std::string field;
        std::vector<std::string> texts;
        std::string switched;  // "true" or "false" for a switch
    };

    std::vector<setting> settings(std::vector<std::string>& faults) const;
    static void add_tools(const std::string& value, std::vector<setting>& settings,
                          std::vector<std::string>& faults);
    void add_key_file(std::vector<setting>& settings, std::vector<std::string>& faults) const;

    std::deque<flag> flags_;  // a deque because CLI11 keeps pointers to the elements
    std::string file_;
    std::string key_file_;
    bool takes_model_names_ = false;
};

}  // namespace tandem::command
