#include "service/server_directory.hpp"

#include "transport/server_url.hpp"

#include <random>
#include <set>
#include <utility>

namespace tandem::detail {

services::server_state server_directory::state_of(const services::listed_server& s,
                                                  time_point now) const {
    const auto& server = *uses_.at(s.id);
    const bool takes_requests = server.circuit.allows(now);
    const auto slots = server.slots->lock();
    const auto& elsewhere = slots->scheduler.get_other_process_usage();
    return {.takes_requests = takes_requests,
            .slots = slots->known.props() ? slots->scheduler.slots() : 0,
            .is_shared = elsewhere.processes > 0,
            .conversations_elsewhere = elsewhere.conversations,
            .running_elsewhere = elsewhere.running};
}

services::server_state_query server_directory::states(time_point now) const {
    return [this, now](const services::listed_server& s) { return state_of(s, now); };
}

std::vector<server_status> server_directory::status(time_point now) const {
    std::vector<server_status> all;
    for (const auto& s : list_.all()) {
        const auto asked = state_of(s, now);
        const auto slots = uses_.at(s.id)->slots->lock();
        const auto& scheduler = slots->scheduler;
        all.push_back({.url = s.url,
                       .state = s.health.state(),
                       .draining = s.removal_deadline || s.is_drained,
                       .circuit_open = !asked.takes_requests,
                       .slots = asked.slots,
                       .conversations = s.conversations,
                       .generating = s.generating,
                       .waiting = scheduler.count_waiting_requests(),
                       .tokens_per_s = scheduler.find_tokens_per_s(now),
                       .late = scheduler.find_lateness(now),
                       .lead_loss = scheduler.find_lead_loss(now),
                       .residence_changes = scheduler.get_residence_changes().count,
                       .residence_change_tokens = scheduler.get_residence_changes().evaluated,
                       .fault = s.health.fault()});
    }
    return all;
}

server_directory::server_directory(const service_config& c, slot_scope scope)
    : list_(c.placement, c.health_interval, std::random_device()()), scope_(scope) {
    if (c.servers.empty()) add(c, c.client.server.url);
    for (const auto& url : c.servers) add(c, url);
}

void server_directory::record_conversations(server_id id) {
    if (const auto* const s = list_.find(id)) uses_.at(id)->set_conversations(s->conversations);
}

void server_directory::add(const service_config& c, const std::string& url) {
    const auto id = list_.add(url);
    if (id == services::no_server) return;
    auto settings = c.client;
    settings.server.url = url;  // identifies the slots
    auto use = std::make_shared<server_usage>(settings, service_slot_defaults, scope_);
    uses_.emplace(id, std::move(use));
}

std::optional<int> server_directory::remove(time_point now, std::string_view url, duration limit) {
    const auto* const s = list_.remove(now, url, limit);
    return s ? std::optional(s->generating) : std::nullopt;
}

std::vector<std::string> server_directory::find_unlisted_servers(
    const std::vector<std::string>& urls) const {
    std::set<std::string> listed;
    for (const auto& url : urls) listed.insert(transport::server_identity(url));
    std::vector<std::string> others;
    for (const auto& s : list_.all())
        if (!listed.contains(s.identity)) others.push_back(s.url);
    return others;
}

std::vector<services::server_id> server_directory::drop_idle_removed_servers() {
    auto dropped = list_.drop_idle_removed_servers();
    for (const auto id : dropped) {
        // A link keeps the usage alive as long as idle conversations hold the link.
        uses_.at(id)->set_conversations(0);
        uses_.erase(id);
    }
    return dropped;
}

}  // namespace tandem::detail
