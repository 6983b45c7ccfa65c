#include "tandem/service_config.hpp"

#include "base/enum_names.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <set>

namespace tandem {
inline namespace v0 {
namespace {

constexpr std::size_t max_servers = 256;

void check_servers(const service_config& c, std::vector<config_fault>& faults) {
    if (c.servers.size() > max_servers)
        faults.push_back({"servers", fmt::format("has {} URLs; the maximum is {}", c.servers.size(),
                                                 max_servers)});
    std::set<std::string> identities;
    for (const auto& url : c.servers) {
        auto settings = c.client;
        settings.server.url = url;
        for (auto& fault : check(settings))
            if (fault.field == "url") faults.push_back({"servers", std::move(fault.message)});
        if (!identities.insert(transport::server_identity(url)).second)
            faults.push_back(
                {"servers", fmt::format("has {} twice", transport::without_credentials(url))});
    }
}

}  // namespace

std::string_view to_string(placement p) noexcept {
    return find_enum_name({"round_robin", "least_busy"}, p);
}

std::string_view to_string(server_status::health h) noexcept {
    return find_enum_name({"not asked yet", "up", "loading its model", "down"}, h);
}

std::vector<config_fault> check(const service_config& c) {
    auto faults = check(c.client);
    for (auto& f : check(c.conversation)) faults.push_back(std::move(f));
    check_servers(c, faults);
    if (to_string(c.placement).empty())
        faults.push_back({"placement", fmt::format("is {}, which is not a valid value",
                                                   static_cast<int>(c.placement))});
    if (c.health_interval < std::chrono::milliseconds(100) ||
        c.health_interval > std::chrono::hours(1))
        faults.push_back(
            {"health_interval", fmt::format("is {}; it must be a time from 100ms to 1h",
                                            to_string(c.health_interval))});
    return faults;
}

}  // namespace v0
}  // namespace tandem
