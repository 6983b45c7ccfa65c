#include "cluster/shared_load.hpp"
#include "wire/json/dump_json.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace tandem::cluster {
namespace {

constexpr std::string_view served_mark = "serves ";

}  // namespace

std::string serialize_load(const shared_load& load) {
    auto object = nlohmann::json::object();
    for (const auto& [name, value] : load)
        if (std::isfinite(value) && value != 0) object[name] = value;
    return wire::dump_json(object);
}

shared_load parse_load(std::string_view text) {
    shared_load load;
    const auto object = nlohmann::json::parse(text, nullptr, false);
    if (!object.is_object()) return load;
    for (const auto& [name, value] : object.items())
        if (value.is_number()) load[name] = value.get<double>();
    return load;
}

std::string name_served_quantity(std::string_view server) {
    return std::string(served_mark) + std::string(server);
}

std::vector<std::string> find_served_servers(const shared_load& load) {
    std::vector<std::string> servers;
    for (const auto& [name, value] : load)
        if (name.starts_with(served_mark)) servers.push_back(name.substr(served_mark.size()));
    return servers;
}

double find_quantity(const shared_load& load, const std::string& name) {
    const auto found = load.find(name);
    return found == load.end() ? 0 : found->second;
}

}  // namespace tandem::cluster
