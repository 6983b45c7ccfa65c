#include "simulation/simulated_service.hpp"

#include "simulation/simulated_conversation.hpp"

#include <algorithm>
#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t max_service_steps = 2'000'000;
constexpr int urls = 4;
constexpr duration health_limit = 2s;
constexpr int max_conversations = 30;

slot_rules random_rules(rng& random) {
    return {.slots = pick(random, 1, 4),
            .guard = chance(random, 0.5) ? 2s : 0s,
            .queue_limit = chance(random, 0.2) ? static_cast<std::size_t>(pick(random, 1, 4))
                                               : slots::default_queue_limit};
}

}  // namespace

simulated_service::simulated_service(std::uint64_t seed)
    : world_(seed),
      rules_(random_rules(world_.random())),
      list_(chance(world_.random(), 0.5) ? placement::least_busy : placement::round_robin,
            milliseconds(pick(world_.random(), 100, 5000))),
      to_come_(static_cast<std::size_t>(pick(world_.random(), 1, max_conversations))) {
    for (int url = pick(world_.random(), 1, 3); url > 0; --url) add_server(url);
}

simulated_service::~simulated_service() = default;

std::vector<std::string> simulated_service::run() {
    for (auto n = to_come_; n > 0; --n)
        world_.at(milliseconds(pick(world_.random(), 0, 60'000)), [this] {
            conversations_.push_back(std::make_unique<simulated_conversation>(*this, next_id()));
            if (++open_ == 1) arm_timer();
            conversations_.back()->begin();
        });
    if (chance(world_.random(), 0.7))
        for (int n = pick(world_.random(), 1, 8); n > 0; --n)
            world_.at(milliseconds(pick(world_.random(), 0, 100'000)),
                      [this] { something_happens(); });
    if (chance(world_.random(), 0.1))
        for (int n = pick(world_.random(), 1, 3); n > 0; --n)
            world_.at(up_to(world_.random(), 100'000),
                      [this] { world_.leap(random_leap(world_.random())); });
    world_.run(max_service_steps);
    if (world_.broken().empty()) check_nothing_left();
    return world_.broken();
}

detail::reply_machine::transitions simulated_service::made() const {
    detail::reply_machine::transitions all;
    for (const auto& c : conversations_) all |= c->made();
    return all;
}

// --- functions for the conversations

auto simulated_service::id_of(const simulated_server* core) const -> server_id {
    for (const auto& [id, known] : cores_)
        if (known.get() == core && !known->is_shut_down()) return id;
    return services::no_server;
}

services::server_state simulated_service::state_of(const services::listed_server& s) const {
    auto& core = *cores_.at(s.id);
    return {.takes_requests = core.may_serve(),
            .slots = core.is_known() ? core.slots().count() : 0};
}

simulated_server* simulated_service::place(const simulated_server* pinned, bool elsewhere,
                                           const std::vector<const simulated_server*>& without) {
    std::vector<server_id> left_out;
    for (const auto* core : without) left_out.push_back(id_of(core));
    const auto ask = [this](const services::listed_server& s) { return state_of(s); };
    const auto is_free = [&](const services::listed_server& s) {
        return !s.removal_deadline && ask(s).takes_requests &&
               std::ranges::find(left_out, s.id) == left_out.end();
    };
    // A server that hangs may serve only if no healthy server is available.
    const bool is_well = std::ranges::any_of(
        list_.all(), [&](const auto& s) { return s.health.may_serve() && is_free(s); });
    const auto may_serve = [&](const services::listed_server& s) {
        return is_free(s) && (is_well ? s.health.may_serve() : s.health.is_hanging());
    };
    const auto before = id_of(pinned);
    const bool is_any = std::ranges::any_of(list_.all(), may_serve);
    const bool is_another = std::ranges::any_of(
        list_.all(), [&](const auto& s) { return s.id != before && may_serve(s); });
    const auto* const next = list_.assign_server(
        {.pinned = before, .prefer_other = elsewhere, .excluded = left_out}, ask);
    world_.check((next != nullptr) == is_any, "a server that may serve is found");
    if (!next) {
        arm_timer();
        return nullptr;
    }
    world_.check(may_serve(*next), "a server that is chosen may serve");
    world_.check(!elsewhere || !is_another || next->id != before,
                 "a turn that must leave its server gets another one");
    if (!is_well) world_.note("a turn goes to a server that hangs");
    if (list_.find(next->id)->health.check_if_stale(world_.now())) arm_timer();
    auto& core = *cores_.at(next->id);
    world_.check(!core.refuses(), "the chosen server does not refuse the turn");
    return &core;
}

bool simulated_service::on_server_failed(const simulated_server* core, const error_code& why) {
    auto* const s = list_.find(id_of(core));
    if (!s) return true;
    s->health.record_request_failure(world_.now(), why, {});
    arm_timer();
    return !s->health.may_serve();
}

void simulated_service::on_turn_started(const simulated_server* core) {
    world_.check(id_of(core) != services::no_server, "a turn begins at a server of the list");
    list_.on_turn_started(id_of(core));
    arm_timer();
}

void simulated_service::on_turn_ended(const simulated_server* core) {
    world_.check(id_of(core) != services::no_server,
                 "a server stays in the list until its replies have ended");
    if (list_.on_turn_ended(id_of(core))) drop_idle_removed_servers();
}

void simulated_service::on_conversation_ended(const simulated_conversation& who,
                                              const simulated_server* pinned) {
    world_.check(who.ended() && open_ > 0, "a conversation ends once");
    list_.unpin(id_of(pinned));
    if (--open_ == 0) arm_timer();
    check_counts();
}

void simulated_service::check_counts() {
    std::map<const simulated_server*, std::pair<int, int>> counted;
    for (const auto& c : conversations_) {
        ++counted[c->pinned_server()].first;
        ++counted[c->generating_at()].second;
        ++counted[c->drafting_at()].second;
    }
    for (const auto& s : list_.all()) {
        const auto [pinned, generating] = counted[cores_.at(s.id).get()];
        world_.check(s.conversations == pinned, "the conversations of a server are counted");
        world_.check(s.generating == generating, "the replies of a server are counted");
    }
}

// --- servers

void simulated_service::add_server(int url) {
    const auto id = list_.add(std::to_string(url));
    if (id != services::no_server)
        cores_.emplace(id, std::make_unique<simulated_server>(world_, rules_));
    arm_timer();
}

void simulated_service::remove_server(const std::string& url, duration limit) {
    list_.remove(world_.now(), url, limit);
    drop_idle_removed_servers();
    arm_timer();
}

void simulated_service::drop_idle_removed_servers() {
    for (const auto id : list_.drop_idle_removed_servers()) {
        world_.note("a server is dropped");
        cores_.at(id)->slots().check_nothing_runs();
        cores_.at(id)->shut_down();
    }
}

void simulated_service::end_expired_removal(server_id id) {
    auto& core = *cores_.at(id);
    for (std::size_t i = 0; i < conversations_.size(); ++i)
        if (conversations_[i]->pinned_server() == &core)
            conversations_[i]->leave_server(
                {detail::server_leave_reason::kind::removed, {errc::server_gone, {}}});
    core.slots().check_nothing_runs();
}

void simulated_service::server_dies(simulated_server& core) {
    core.dies();
    for (std::size_t i = 0; i < conversations_.size(); ++i) conversations_[i]->server_died(core);
}

void simulated_service::something_happens() {
    auto& random = world_.random();
    const auto& servers = list_.all();
    if (servers.empty() || chance(random, 0.2)) return add_server(pick(random, 1, urls));
    const auto& s =
        servers[static_cast<std::size_t>(pick(random, 0, static_cast<int>(servers.size()) - 1))];
    if (chance(random, 0.3))
        return remove_server(std::string(s.url), milliseconds(pick(random, 0, 10'000)));
    auto& core = *cores_.at(s.id);
    if (chance(random, 0.3)) {
        core.freezes();
        return world_.at(up_to(random, 30'000), [&core] { core.wakes(); });
    }
    server_dies(core);
    if (chance(random, 0.9)) world_.at(up_to(random, 20'000), [&core] { core.starts_again(); });
}

// --- health

void simulated_service::arm_timer() {
    const auto due = list_.next_event(open_ > 0);
    if (!due || (timer_ && *timer_ <= *due)) return;
    timer_ = due;
    world_.at(std::max(*due, world_.now()) - world_.now(), [this, due] {
        if (timer_ != due) return;
        timer_.reset();
        timer_expired();
    });
}

void simulated_service::timer_expired() {
    if (open_ > 0)
        for (const auto id : list_.take_due_checks(world_.now())) ask_health(id);
    for (const auto id : list_.take_expired_removals(world_.now())) end_expired_removal(id);
    drop_idle_removed_servers();
    arm_timer();
}

void simulated_service::ask_health(server_id id) {
    const bool hangs = cores_.at(id)->hangs();
    const auto takes = hangs ? health_limit : up_to(world_.random(), 300);
    world_.at(takes, [this, id, hangs, asked = world_.now()] {
        auto* const s = list_.find(id);
        if (!s) return;
        error_code answer;
        if (hangs)
            answer = errc::request_timeout;
        else if (!cores_.at(id)->is_up())
            answer = chance(world_.random(), 0.7) ? errc::connect_failed : errc::model_loading;
        s->health.record_check_result(world_.now(), answer, {});
        world_.check(s->health.may_serve() == !answer, "a server's health follows its last answer");
        arm_timer();
        evict_if_needed(id, asked);
    });
}

void simulated_service::evict_if_needed(server_id id, time_point asked) {
    const auto what =
        list_.leave_reason(id, [this](const services::listed_server& s) { return state_of(s); });
    if (!what) return;
    auto* const core = cores_.at(id).get();
    for (std::size_t i = 0; i < conversations_.size(); ++i)
        if (conversations_[i]->pinned_server() == core)
            conversations_[i]->leave_server({*what, {errc::no_model, {}}, asked});
}

// --- the end

void simulated_service::check_nothing_left() {
    world_.check(conversations_.size() == to_come_ && open_ == 0, "each conversation has ended");
    for (const auto& c : conversations_) c->check_end();
    for (const auto& [id, core] : cores_) core->slots().check_nothing_left();
    for (const auto& s : list_.all()) {
        world_.check(s.generating == 0, "no reply is left at a server");
        world_.check(s.conversations == 0, "no conversation is left at a server");
    }
}

}  // namespace tandem::test
