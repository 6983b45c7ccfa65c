#pragma once

#include "tandem/config.hpp"

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// One value for a field, and where it comes from in words people know: "--slots", "TANDEM_SLOTS".
struct setting {
    std::string origin;
    std::string field;
    std::string text;
};

/// The names and values of the environment's variables.
using environment = std::map<std::string, std::string>;

/// What holds where no layer has a field.
config usual_config();

/// Lays the sources of a configuration over each other: defaults, file, variables, flags. What is
/// wrong is collected, each fault with its origin.
class config_layers {
 public:
    /// A server may be given as NAME=URL from now on, by the model that it has.
    void allow_model_names() noexcept { takes_model_names_ = true; }

    /// A JSON object with the fields' names as keys; `name` is the file's.
    void add_file(const std::string& name, std::string_view json);
    /// `TANDEM_*`; those that are empty count as not set. One that is no field's, but nearly, is a
    /// fault; others are somebody else's.
    void add_environment(const environment& variables);
    void add(const std::vector<setting>& layer);

    /// To be called last: checks the values too.
    std::vector<std::string> faults();
    const config& result() const noexcept { return config_; }
    /// All values of `url` that the uppermost layer with one gives; empty if none does.
    const std::vector<std::string>& urls() const noexcept { return urls_; }
    /// The names of their models, in the same order; empty for one that has none.
    const std::vector<std::string>& url_models() const noexcept { return url_models_; }
    /// Whether some layer has this field.
    bool has(const std::string& field) const { return origins_.contains(field); }

 private:
    void begin_list(const std::string& name);
    void set(const setting& given);
    setting take_model_name(const setting& s);

    config config_ = usual_config();
    std::vector<std::string> urls_;
    std::vector<std::string> url_models_;
    bool takes_model_names_ = false;
    std::vector<std::string> faults_;
    std::map<std::string, std::string> origins_;
    /// Lists that the layer being added has begun again.
    std::set<std::string> begun_lists_;
};

/// "reuse_guard" → "--reuse-guard".
std::string flag_name(std::string_view field);
/// "reuse_guard" → "TANDEM_REUSE_GUARD".
std::string variable_name(std::string_view field);

}  // namespace tandem::command
