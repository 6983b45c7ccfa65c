#include "flags/service_flags.hpp"

#include "flags/config_layers.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tandem::command {
namespace {

// Indexed by the enumeration.
constexpr std::array<std::string_view, 2> placement_names{"round_robin", "least_busy"};

}  // namespace

void add_placement(command_flags& flags, service_config& c, const char* what) {
    const auto help = fmt::format("how to choose {}'s server: round_robin or least_busy", what);
    flags.add_choice("--placement", c.placement, placement_names, "HOW", help.c_str(),
                     "least_busy");
}

void check_service(service_config c, std::vector<std::string>& faults) {
    // A single server is checked as part of its configuration.
    if (c.servers.size() < 2) c.servers.clear();
    const auto all = check(c);
    for (auto i = check(c.client).size(); i < all.size(); ++i) {
        const auto field = all[i].field == "servers" ? "url" : all[i].field;
        faults.push_back(fmt::format("{} {}", flag_name(field), all[i].message));
    }
}

}  // namespace tandem::command
