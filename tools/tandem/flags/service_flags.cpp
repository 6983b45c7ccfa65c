#include "flags/service_flags.hpp"

#include "flags/config_layers.hpp"
#include "flags/flag_parsing.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tandem::command {
namespace {

// Indexed by the enumeration.
constexpr std::array<std::string_view, 2> placement_names{"round_robin", "least_busy"};

}  // namespace

void read_placement(const std::string& text, service_config& c, std::vector<std::string>& faults) {
    read_choice("--placement", placement_names, text, c.placement, faults);
}

std::vector<std::string> service_faults(service_config c) {
    // A single server is checked as part of its configuration.
    if (c.servers.size() < 2) c.servers.clear();
    const auto all = check(c);
    std::vector<std::string> faults;
    for (auto i = check(c.client).size(); i < all.size(); ++i) {
        const auto field = all[i].field == "servers" ? "url" : all[i].field;
        faults.push_back(fmt::format("{} {}", flag_name(field), all[i].message));
    }
    return faults;
}

}  // namespace tandem::command
