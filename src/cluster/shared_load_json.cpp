#include "cluster/shared_load.hpp"
#include "wire/json/dump_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>

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

// A space separates the servers' URLs, which contain none.
std::string name_served_servers_quantity(const std::vector<std::string>& servers) {
    return fmt::format("{}{}", served_mark, fmt::join(servers, " "));
}

std::vector<std::string> find_served_servers(const shared_load& load) {
    std::vector<std::string> servers;
    for (const auto& [name, value] : load) {
        if (!name.starts_with(served_mark)) continue;
        std::istringstream names(name.substr(served_mark.size()));
        for (std::string server; names >> server;) servers.push_back(std::move(server));
    }
    return servers;
}

double find_quantity(const shared_load& load, const std::string& name) {
    const auto found = load.find(name);
    return found == load.end() ? 0 : found->second;
}

}  // namespace tandem::cluster
