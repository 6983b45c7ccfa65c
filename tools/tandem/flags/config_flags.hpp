#pragma once

#include "flags/config_layers.hpp"

#include "tandem/config_fields.hpp"

#include <CLI/CLI.hpp>

#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace tandem::command {

/// A flag for each field of the configuration, and for its sources. The object must outlive the
/// parsing.
class config_flags {
 public:
    /// Fields that `wanted` is false for have no flag; variables and the file may set them still.
    /// `defaults` are those that the help shows.
    void add_to(
        CLI::App& app,
        const std::function<bool(const field_info&)>& wanted = [](const auto&) { return true; },
        const config& defaults = usual_config());

    /// A server may be given as NAME=URL, by the model that it has.
    void allow_model_names() noexcept { takes_model_names_ = true; }

    /// The configuration of all sources, or its faults.
    struct loaded {
        config value;
        /// All URLs that are given; `value` has the last one.
        std::vector<std::string> urls;
        /// The names of their models, in the same order; empty for one that has none.
        std::vector<std::string> url_models;
        bool has_continue_timeout = false;
        std::vector<std::string> faults;
    };
    /// `lowest` is the layer below all others.
    loaded load(const environment& variables, const std::vector<setting>& lowest = {}) const;

 private:
    struct flag {
        std::string field;
        std::vector<std::string> texts;
        std::string switched;  // of a switch: "true" or "false"
    };

    std::vector<setting> settings(std::vector<std::string>& faults) const;
    void add_key_file(std::vector<setting>& settings, std::vector<std::string>& faults) const;

    std::deque<flag> flags_;  // their addresses are CLI11's
    std::string file_;
    std::string key_file_;
    bool takes_model_names_ = false;
};

}  // namespace tandem::command
