#include "service/server_list.hpp"

#include "transport/server_url.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace tandem::services {

server_id server_list::add(std::string_view url) {
    if (auto* known = find(url)) {
        known->removal_deadline.reset();
        known->is_eviction_reported = false;
        return no_server;
    }
    servers_.push_back({.id = ++last_id_,
                        .url = std::string(url),
                        .identity = transport::server_identity(url),
                        .health = server_health(health_interval_)});
    return last_id_;
}

const listed_server* server_list::remove(time_point now, std::string_view url, duration limit) {
    constexpr duration longest = std::chrono::hours(24);
    auto* s = find(url);
    if (!s) return nullptr;
    s->removal_deadline = now + std::clamp(limit, duration{}, longest);
    s->is_eviction_reported = false;
    return s;
}

const listed_server* server_list::set_drained(std::string_view url, bool is_drained) {
    auto* const s = find(url);
    if (!s || s->is_drained == is_drained) return nullptr;
    s->is_drained = is_drained;
    return s;
}

std::vector<server_id> server_list::drop_idle_removed_servers() {
    std::vector<server_id> dropped;
    std::erase_if(servers_, [&](const listed_server& s) {
        const bool is_idle_removed = s.removal_deadline && s.generating == 0;
        if (is_idle_removed) dropped.push_back(s.id);
        return is_idle_removed;
    });
    return dropped;
}

std::vector<server_id> server_list::take_expired_removals(time_point now) {
    std::vector<server_id> overdue;
    for (auto& s : servers_) {
        if (!s.removal_deadline || *s.removal_deadline > now || s.is_eviction_reported) continue;
        s.is_eviction_reported = true;
        overdue.push_back(s.id);
    }
    return overdue;
}

std::vector<server_id> server_list::take_due_checks(time_point now) {
    std::vector<server_id> due;
    for (auto& s : servers_) {
        const auto next = s.health.next_check();
        if (s.removal_deadline || !next || *next > now) continue;
        s.health.on_check_started();
        due.push_back(s.id);
    }
    return due;
}

// Once its replies have been asked to leave, a removed server needs no timer: they may stay while
// their voice is speaking.
std::optional<time_point> server_list::next_event(bool is_watching) const {
    auto next = never;
    for (const auto& s : servers_) {
        if (!s.is_eviction_reported) next = std::min(next, s.removal_deadline.value_or(never));
        if (is_watching && !s.removal_deadline)
            next = std::min(next, s.health.next_check().value_or(never));
    }
    return next == never ? std::nullopt : std::optional(next);
}

// --- conversations

bool server_list::may_serve(const listed_server& s, const server_criteria& criteria,
                            const server_state_query& ask, health_rule is_usable) {
    return (s.health.*is_usable)() && !s.removal_deadline && !s.is_drained &&
           ask(s).takes_requests &&
           std::ranges::find(criteria.excluded, s.id) == criteria.excluded.end();
}

listed_server* server_list::choose_other(const server_criteria& criteria,
                                         const server_state_query& ask, health_rule is_usable) {
    std::vector<server_load> loads;
    for (const auto& s : servers_) {
        const auto state = ask(s);
        loads.push_back(
            {.may_serve = s.id != criteria.pinned && may_serve(s, criteria, ask, is_usable),
             .slots = state.slots,
             .conversations = s.conversations + state.conversations_elsewhere,
             .generating = s.generating + state.running_elsewhere,
             .is_shared = state.is_shared});
    }
    const auto chosen = choice_.choose(loads);
    return chosen ? &servers_[*chosen] : nullptr;
}

listed_server* server_list::choose(const server_criteria& criteria, const server_state_query& ask,
                                   health_rule is_usable) {
    auto* const before = find(criteria.pinned);
    auto* next = before && may_serve(*before, criteria, ask, is_usable) ? before : nullptr;
    if (!next || criteria.prefer_other)
        if (auto* const chosen = choose_other(criteria, ask, is_usable)) next = chosen;
    return next;
}

listed_server* server_list::assign_server(const server_criteria& criteria,
                                          const server_state_query& ask) {
    auto* next = choose(criteria, ask, &server_health::may_serve);
    if (!next) {
        for (auto& s : servers_) s.health.request_check_soon();
        next = choose(criteria, ask, &server_health::is_hanging);
    }
    if (!next) return nullptr;
    if (auto* const before = find(criteria.pinned)) --before->conversations;
    ++next->conversations;
    return next;
}

listed_server* server_list::pin_if_suitable(std::string_view url, const server_state_query& ask) {
    const auto has_room = [&](const listed_server& s) {
        const auto state = ask(s);
        const double running = s.generating + std::round(state.running_elsewhere);
        return state.slots == 0 || running < state.slots;
    };
    const auto serves = [&](const listed_server& s) {
        return may_serve(s, {}, ask, &server_health::may_serve);
    };
    auto* const there = find(url);
    if (!there || !serves(*there)) return nullptr;
    const bool is_full = !has_room(*there) && std::ranges::any_of(servers_, [&](const auto& s) {
        return serves(s) && has_room(s);
    });
    if (is_full) return nullptr;
    ++there->conversations;
    return there;
}

std::optional<leave_kind> server_list::leave_reason(server_id id,
                                                    const server_state_query& ask) const {
    const auto at = std::ranges::find(servers_, id, &listed_server::id);
    if (at == servers_.end() || at->health.may_serve()) return std::nullopt;
    if (!at->health.is_hanging()) return leave_kind::away;
    const bool is_another = std::ranges::any_of(servers_, [&](const listed_server& s) {
        return s.id != id && may_serve(s, {}, ask, &server_health::may_serve);
    });
    return is_another ? std::optional(leave_kind::hangs) : std::nullopt;
}

void server_list::unpin(server_id pinned) {
    if (auto* s = find(pinned)) --s->conversations;
}

// A turn that was on its way to the server when the server's time limit passed must also leave.
void server_list::on_turn_started(server_id at) {
    auto* const s = find(at);
    if (!s) return;
    ++s->generating;
    s->is_eviction_reported = false;
}

bool server_list::on_turn_ended(server_id at) {
    auto* const s = find(at);
    if (!s) return false;
    --s->generating;
    return s->removal_deadline.has_value();
}

listed_server* server_list::find(server_id id) {
    const auto found = std::ranges::find(servers_, id, &listed_server::id);
    return found != servers_.end() ? &*found : nullptr;
}

listed_server* server_list::find(std::string_view url) {
    const auto found =
        std::ranges::find(servers_, transport::server_identity(url), &listed_server::identity);
    return found != servers_.end() ? &*found : nullptr;
}

}  // namespace tandem::services
