#include "reply/shared_server.hpp"

#include "config/usual_values.hpp"
#include "transport/server_url.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace tandem::detail {
namespace {

int most_slots(const config& c) {
    constexpr int all = 1024;  // the bound of the field
    const int wanted = c.slots.value_or(0);
    return wanted > 0 ? wanted : all;
}

// The server may see the end of a request a little later than its client.
constexpr duration end_is_seen_within = std::chrono::seconds(1);

std::string slots_in_words(const config& c) {
    const int slots = c.slots.value_or(0);
    const auto guard = fixed_guard(c);
    return fmt::format("slots {} and reuse_guard {}", slots == 0 ? "all" : fmt::to_string(slots),
                       guard ? to_string(*guard) : "auto");
}

void write_safely(const config& c, const log_line& line) noexcept try {
    if (c.logger.enabled(line.level)) c.logger.write(line.level, line.text);
} catch (...) {
}

}  // namespace

slot_room::slot_room(const config& c)
    : known(c.slots.value_or(0), fixed_guard(c)), scheduler(most_slots(c), known.reuse_guard()) {
    follow(c);
}

std::optional<log_line> slot_room::follow(const config& c) {
    const bool is_same = known.wants(c.slots.value_or(0), fixed_guard(c));
    known.want(c.slots.value_or(0), fixed_guard(c));
    most = most_slots(c);
    scheduler.widen_to(most);
    scheduler.limit_to(most);
    scheduler.set_queue_limit(static_cast<std::size_t>(c.queue_limit));
    if (c.verify_cut && !watch) watch.emplace();
    follow_server();
    if (is_same || keepers.empty()) return std::nullopt;
    return log_line{
        log_level::warning,
        fmt::format("server {}: used in this process with other settings already; {} hold for all "
                    "from now on",
                    transport::without_credentials(c.url), slots_in_words(c))};
}

namespace {

shared_slots find_slots(const config& c) {
    static guarded<std::map<std::string, std::weak_ptr<guarded<slot_room>>>> servers;
    const auto all = servers.lock();
    std::erase_if(*all, [](const auto& s) { return s.second.expired(); });
    auto& known = (*all)[transport::parse_server_url(c.url).url.shown];
    auto room = known.lock();
    if (!room) known = room = std::make_shared<guarded<slot_room>>(c);
    return room;
}

}  // namespace

shared_slots slots_of_server(const config& c) {
    if (c.play) return std::make_shared<guarded<slot_room>>(c);
    auto room = find_slots(c);
    const auto line = room->lock()->follow(c);
    if (line) write_safely(c, *line);
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

std::optional<circuit_breaker> shared_circuit::failed(time_point now, time_point sent) {
    const auto circuit = circuit_.lock();
    has_failed_.store(true, std::memory_order_relaxed);
    return circuit->failed(now, sent) ? std::optional(*circuit) : std::nullopt;
}

bool shared_circuit::succeeded() {
    if (!has_failed_.load(std::memory_order_relaxed)) return false;
    const auto circuit = circuit_.lock();
    has_failed_.store(false, std::memory_order_relaxed);
    return circuit->succeeded();
}

}  // namespace tandem::detail
