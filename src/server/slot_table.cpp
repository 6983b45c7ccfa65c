#include "server/slot_table.hpp"

#include "loop/clock.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tandem::detail {
namespace {

constexpr int all_slots = 1024;  // the maximum of the `slots` field

// The server may detect the end of a request a little later than its client.
constexpr duration end_is_seen_within = std::chrono::seconds(1);

std::string slots_in_words(int slots, duration guard) {
    return fmt::format("slots {} and reuse_guard {}", slots == 0 ? "all" : fmt::to_string(slots),
                       guard == auto_guard ? "auto" : to_string(guard));
}

template <class T>
bool differs(const std::optional<T>& now, const std::optional<T>& before) {
    return now && before && *now != *before;
}

}  // namespace

std::optional<log_line> slot_table::apply_settings(const config& c,
                                                   const slot_defaults& new_defaults) {
    const bool is_first = users++ == 0;
    if (is_first) forget_settings();
    if (is_first || new_defaults.slots == 0) defaults = new_defaults;
    const bool changes =
        differs(c.server.slots, slots_set) || differs(c.server.reuse_guard, guard_set);
    if (c.server.slots) slots_set = c.server.slots;
    if (c.server.reuse_guard) guard_set = c.server.reuse_guard;
    const int wanted = slots_set.value_or(defaults.slots);
    const auto guard = guard_set.value_or(defaults.reuse_guard);
    known.set_requested_values(wanted, guard == auto_guard ? std::nullopt : std::optional(guard));
    // Grants no additional slots until the server has confirmed that it has them.
    const int had = scheduler.slots();
    max_slots = wanted > 0 ? wanted : all_slots;
    scheduler.raise_slot_limit(max_slots);
    scheduler.set_slot_count(is_first ? max_slots : std::min(max_slots, had));
    queue_limit = is_first ? c.limits.queue_limit : std::max(queue_limit, c.limits.queue_limit);
    scheduler.set_queue_limit(static_cast<std::size_t>(queue_limit));
    if (c.server.verify_cut && !release_monitor) release_monitor.emplace();
    apply_server_limits();
    if (!changes) return std::nullopt;
    return log_line{
        log_level::warning,
        fmt::format(
            "server {}: already used in this process with other settings; {} now apply to all",
            transport::without_credentials(c.server.url), slots_in_words(wanted, guard))};
}

void slot_table::forget_settings() {
    slots_set.reset();
    guard_set.reset();
    known = server_props_cache(0, std::nullopt);
    release_monitor.reset();
    scheduler.stop_verifying();
    foreign_use_logged = erase_warned = false;
}

bool slot_table::is_needed(time_point at) const {
    return users > 0 || (last_use != time_point() && last_use + known.reuse_guard() > at);
}

namespace {

shared_slot_table find_slot_table(const config& c) {
    static synchronized<std::map<std::string, shared_slot_table>> servers;
    const auto all = servers.lock();
    // A table without users is kept while it is referenced, because a user is about to join it.
    std::erase_if(*all, [](const auto& s) {
        return s.second.use_count() == 1 && !s.second->lock()->is_needed(now());
    });
    auto& table = (*all)[transport::parse_server_url(c.server.url).url.identity];
    if (!table) table = std::make_shared<synchronized<slot_table>>();
    return table;
}

}  // namespace

slot_scope choose_slot_scope(const instruments& i) noexcept {
    return i.play ? slot_scope::own : slot_scope::process;
}

shared_slot_table join_server_slots(const config& c, const slot_defaults& new_defaults,
                                    slot_scope scope, std::optional<log_line>& warning) {
    auto table = scope == slot_scope::own ? std::make_shared<synchronized<slot_table>>()
                                          : find_slot_table(c);
    warning = table->lock()->apply_settings(c, new_defaults);
    return table;
}

bool slot_table::is_used_by(int slot, const slot_manager& manager) const {
    const auto use = managers_by_slot.find(slot);
    return use != managers_by_slot.end() && use->second == &manager;
}

bool slot_table::must_be_erased(const slots::grant& g, slots::owner_id owner) const {
    return g.previous != slots::nobody &&
           (isolated.contains(g.previous) || isolated.contains(owner));
}

void slot_table::apply_server_limits() {
    if (const auto& props = known.props())
        scheduler.set_slot_count(std::min(max_slots, props->total_slots));
    scheduler.set_guard(known.reuse_guard());
}

void slot_table::apply_release_reports(const std::vector<slots::release_report>& news) {
    for (const auto& n : news) scheduler.set_server_state(n.slot, n.side);
    if (!release_monitor || !release_monitor->is_watching()) scheduler.stop_verifying();
}

void slot_table::forget_gone_owner(slots::owner_id owner) {
    const auto found = isolated.find(owner);
    const bool has_left = found != isolated.end() && found->second == owner_presence::has_left;
    if (has_left && scheduler.slots_used_by(owner).empty()) isolated.erase(found);
}

std::optional<time_point> slot_table::next_poll_at() const {
    if (!release_monitor) return std::nullopt;
    return release_monitor->next_poll_at(scheduler.is_idle() ? std::optional(last_use)
                                                             : std::nullopt);
}

bool slot_table::may_be_used(int slot, time_point at) const {
    if (scheduler.is_busy(slot) || scheduler.is_away(slot) ||
        scheduler.server_state(slot) != slots::server_slot_state::idle)
        return true;
    const auto ended = last_ends.find(slot);
    return ended != last_ends.end() && ended->second + end_is_seen_within > at;
}

std::optional<int> slot_table::find_foreign_use(const std::vector<slot_state>& states) {
    const auto asked = release_monitor ? release_monitor->poll_started_at() : std::nullopt;
    if (!asked || foreign_use_logged) return std::nullopt;
    for (const auto& s : states)
        if (s.processing && s.id < scheduler.slots() && !may_be_used(s.id, *asked)) {
            foreign_use_logged = true;
            return s.id;
        }
    return std::nullopt;
}

}  // namespace tandem::detail
