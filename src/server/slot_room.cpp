#include "server/slot_room.hpp"

#include "loop/clock.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tandem::detail {
namespace {

constexpr int all_slots = 1024;  // the bound of the field

// The server may see the end of a request a little later than its client.
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

std::optional<log_line> slot_room::follow(const config& c, const slot_defaults& usual) {
    const bool is_first = users++ == 0;
    if (is_first) forget_settings();
    if (is_first || usual.slots == 0) defaults = usual;
    const bool changes = differs(c.slots, slots_set) || differs(c.reuse_guard, guard_set);
    if (c.slots) slots_set = c.slots;
    if (c.reuse_guard) guard_set = c.reuse_guard;
    const int wanted = slots_set.value_or(defaults.slots);
    const auto guard = guard_set.value_or(defaults.reuse_guard);
    known.want(wanted, guard == auto_guard ? std::nullopt : std::optional(guard));
    // Grants no further slots until the server has confirmed that it has them.
    const int had = scheduler.slots();
    most = wanted > 0 ? wanted : all_slots;
    scheduler.widen_to(most);
    scheduler.limit_to(is_first ? most : std::min(most, had));
    queue_limit = is_first ? c.queue_limit : std::max(queue_limit, c.queue_limit);
    scheduler.set_queue_limit(static_cast<std::size_t>(queue_limit));
    if (c.verify_cut && !watch) watch.emplace();
    follow_server();
    if (!changes) return std::nullopt;
    return log_line{
        log_level::warning,
        fmt::format("server {}: used in this process with other settings already; {} hold for all "
                    "from now on",
                    transport::without_credentials(c.url), slots_in_words(wanted, guard))};
}

void slot_room::forget_settings() {
    slots_set.reset();
    guard_set.reset();
    known = known_server(0, std::nullopt);
    watch.reset();
    scheduler.stop_verifying();
    told_of_stranger = erase_warned = false;
}

bool slot_room::is_needed(time_point at) const {
    return users > 0 || (last_use != time_point() && last_use + known.reuse_guard() > at);
}

namespace {

shared_slots find_slot_room(const config& c) {
    static guarded<std::map<std::string, shared_slots>> servers;
    const auto all = servers.lock();
    // A room that is referenced but has no users is just being joined.
    std::erase_if(*all, [](const auto& s) {
        return s.second.use_count() == 1 && !s.second->lock()->is_needed(now());
    });
    auto& room = (*all)[transport::parse_server_url(c.url).url.identity];
    if (!room) room = std::make_shared<guarded<slot_room>>();
    return room;
}

}  // namespace

shared_slots join_server_slots(const config& c, const slot_defaults& usual,
                               std::optional<log_line>& remark) {
    auto room = c.play ? std::make_shared<guarded<slot_room>>() : find_slot_room(c);
    remark = room->lock()->follow(c, usual);
    return room;
}

bool slot_room::is_used_by(int slot, const slot_keeper& keeper) const {
    const auto use = uses.find(slot);
    return use != uses.end() && use->second == &keeper;
}

bool slot_room::must_be_erased(const slots::grant& g, slots::owner_id owner) const {
    return g.previous != slots::nobody &&
           (isolated.contains(g.previous) || isolated.contains(owner));
}

void slot_room::follow_server() {
    if (const auto& props = known.props()) scheduler.limit_to(std::min(most, props->total_slots));
    scheduler.set_guard(known.reuse_guard());
}

void slot_room::take_news(const std::vector<slots::release_news>& news) {
    for (const auto& n : news) scheduler.set_side(n.slot, n.side);
    if (!watch || !watch->is_watching()) scheduler.stop_verifying();
}

void slot_room::forget_if_gone(slots::owner_id owner) {
    const auto found = isolated.find(owner);
    const bool has_left = found != isolated.end() && found->second == stay::has_left;
    if (has_left && scheduler.slots_used_by(owner).empty()) isolated.erase(found);
}

std::optional<time_point> slot_room::next_look() const {
    if (!watch) return std::nullopt;
    return watch->next_look(scheduler.is_idle() ? std::optional(last_use) : std::nullopt);
}

bool slot_room::may_be_used(int slot, time_point at) const {
    if (scheduler.busy(slot) || scheduler.side(slot) != slots::server_side::idle) return true;
    const auto ended = last_ends.find(slot);
    return ended != last_ends.end() && ended->second + end_is_seen_within > at;
}

std::optional<int> slot_room::find_stranger(const std::vector<slot_state>& states) {
    const auto asked = watch ? watch->look_since() : std::nullopt;
    if (!asked || told_of_stranger) return std::nullopt;
    for (const auto& s : states)
        if (s.processing && s.id < scheduler.slots() && !may_be_used(s.id, *asked)) {
            told_of_stranger = true;
            return s.id;
        }
    return std::nullopt;
}

}  // namespace tandem::detail
