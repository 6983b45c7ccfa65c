#include "flags/config_layers.hpp"

#include "flags/config_json.hpp"
#include "text/edit_distance.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::command {
namespace {

template <class Field>
constexpr bool is_list = false;
template <class Item>
constexpr bool is_list<std::vector<Item>> = true;
template <>
constexpr bool is_list<speech_replacements> = true;

bool is_predicate(std::string_view message) {
    return message.starts_with("is ") || message.starts_with("has ");
}

// Returns the known name that `name` probably misspells; empty if `name` is known or resembles
// none.
std::string misspelt(std::string_view name, const std::vector<std::string>& known) {
    const std::size_t prefix = variable_name("").size();
    if (!name.starts_with(variable_name("")) || std::ranges::find(known, name) != known.end())
        return {};
    // Allows one edit per four letters, at most two, because short names resemble each other.
    const auto most = std::min<std::size_t>(2, (name.size() - prefix) / 4);
    const auto near = std::ranges::min_element(
        known, {}, [name](const std::string& k) { return edit_distance(name, k); });
    return edit_distance(name, *near) <= most ? *near : std::string();
}

}  // namespace

config default_config() {
    return {.server = {.reuse_guard = auto_guard}};
}

void config_layers::add_file(const std::string& name, std::string_view json) {
    auto read = read_config_json(name, json);
    std::ranges::move(read.faults, std::back_inserter(faults_));
    add(read.settings);
}

void config_layers::add_environment(const environment& variables) {
    std::vector<setting> layer;
    std::vector<std::string> known;
    for_each_field(std::as_const(config_), [&](const field_info& f, const auto&) {
        const auto& name = known.emplace_back(variable_name(f.name));
        const auto found = variables.find(name);
        if (found != variables.end() && !found->second.empty())
            layer.push_back({name, f.name, found->second});
    });
    for (const auto& [name, value] : variables)
        if (const auto meant = misspelt(name, known); !value.empty() && !meant.empty())
            faults_.push_back(
                fmt::format("{} is not a tandem variable; did you mean {}?", name, meant));
    add(layer);
}

void config_layers::add(const std::vector<setting>& layer) {
    begun_lists_.clear();
    for (const auto& s : layer) set(s);
}

// The first element that a layer adds to a list removes the elements from lower layers.
void config_layers::begin_list(const std::string& name) {
    if (name == "url" && begun_lists_.insert(name).second) {
        servers_.clear();
    }
    for_each_field(config_, [&]<class Field>(const field_info& f, Field& value) {
        if constexpr (is_list<Field>)
            if (name == f.name && begun_lists_.insert(name).second) value.clear();
    });
}

void config_layers::set(const setting& s) {
    begin_list(s.field);
    s.field == "url" ? add_server(s) : set_value(s);
}

void config_layers::add_server(const setting& s) {
    const auto& server = servers_.emplace_back(takes_model_names_ ? parse_named_server(s.text)
                                                                  : named_server{.url = s.text});
    if (server.file.empty()) set_value({s.origin, s.field, server.url});
}

void config_layers::set_value(const setting& s) {
    if (const auto fault = set_field(config_, s.field, s.text))
        faults_.push_back(fmt::format("{} {}", s.origin, *fault));
    origins_[s.field] = s.origin;
}

std::vector<std::string> config_layers::faults() {
    for (const auto& fault : check(config_)) {
        // With several URLs, check() has seen only one; the command checks all of them.
        if (fault.field == "url" && servers_.size() > 1) continue;
        const auto known = origins_.find(fault.field);
        const auto origin = known != origins_.end() ? known->second : flag_name(fault.field);
        faults_.push_back(origin + (is_predicate(fault.message) ? " " : ": ") + fault.message);
    }
    return std::move(faults_);
}

std::string flag_name(std::string_view field) {
    auto name = "--" + std::string(field);
    std::ranges::replace(name, '_', '-');
    return name;
}

std::string variable_name(std::string_view field) {
    std::string name = "TANDEM_";
    for (const char c : field) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    return name;
}

}  // namespace tandem::command
