#include "simulation/simulated_service.hpp"

#include "simulation/simulated_conversation.hpp"

#include <algorithm>
#include <utility>

namespace tandem::test {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr std::uint64_t most_steps = 2'000'000;
constexpr int urls = 4;

slot_rules random_slots(rng& random) {
    return {.slots = pick(random, 1, 4),
            .guard = chance(random, 0.5) ? 2s : 0s,
            .sharing = chance(random, 0.4),
            .queue_limit = chance(random, 0.2) ? static_cast<std::size_t>(pick(random, 1, 4))
                                               : slots::default_queue_limit};
}

std::optional<time_point> earlier(std::optional<time_point> a, std::optional<time_point> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

}  // namespace

simulated_service::simulated_service(std::uint64_t seed)
    : world_(seed),
      rules_(random_slots(world_.random())),
      lease_(pick(world_.random(), 0, 2)),
      health_interval_(milliseconds(pick(world_.random(), 100, 5000))),
      choice_(chance(world_.random(), 0.5) ? placement::least_busy : placement::round_robin),
      to_come_(static_cast<std::size_t>(pick(world_.random(), 1, 30))) {
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
    world_.run(most_steps);
    if (world_.broken().empty()) check_nothing_left();
    return world_.broken();
}

// --- what conversations need

service_server* simulated_service::place(service_server* pinned) {
    auto* const before = pinned && pinned->in_list ? pinned : nullptr;
    if (before && before->health.may_serve() && !before->ends) return before;
    std::vector<services::server_load> loads;
    for (const auto* s : list_)
        loads.push_back({.may_serve = s->health.may_serve() && !s->ends,
                         .slots = s->slots.count(),
                         .conversations = s->conversations,
                         .generating = s->generating});
    const auto chosen = choice_.choose(loads);
    const bool is_any = std::ranges::any_of(loads, &services::server_load::may_serve);
    world_.check(chosen.has_value() == is_any, "a server that may serve is found");
    if (!chosen) return nullptr;
    world_.check(loads[*chosen].may_serve, "a server that is chosen may serve");
    if (before) --before->conversations;
    ++list_[*chosen]->conversations;
    return list_[*chosen];
}

bool simulated_service::server_failed(service_server* server, const error_code& why) {
    if (!server->in_list) return true;
    server->health.failed(world_.now(), why, {});
    arm_timer();
    return !server->health.may_serve();
}

void simulated_service::turn_began(service_server* server) {
    ++server->generating;
    check_counts();
}

void simulated_service::turn_ended(service_server* server) {
    world_.check(server->in_list, "a server stays in the list until its replies have ended");
    --server->generating;
    check_counts();
    if (server->ends) drop_drained();
}

void simulated_service::conversation_ended(const simulated_conversation& who,
                                           service_server* pinned) {
    world_.check(who.ended() && open_ > 0, "a conversation ends once");
    if (pinned && pinned->in_list) --pinned->conversations;
    if (--open_ == 0) arm_timer();
    check_counts();
}

void simulated_service::check_counts() {
    for (const auto* s : list_) {
        int pinned = 0, generating = 0;
        for (const auto& c : conversations_) {
            if (c->pinned() != s) continue;
            ++pinned;
            if (c->generates()) ++generating;
        }
        world_.check(s->conversations == pinned, "the conversations of a server are counted");
        world_.check(s->generating == generating, "the replies of a server are counted");
    }
}

// --- servers

void simulated_service::add_server(int url) {
    for (auto* s : list_)
        if (s->url == url) return s->ends.reset();
    servers_.push_back(std::make_unique<service_server>(world_, url, rules_, health_interval_));
    list_.push_back(servers_.back().get());
    arm_timer();
}

void simulated_service::remove_server(service_server& s, duration limit) {
    s.ends = world_.now() + limit;
    drop_drained();
    arm_timer();
}

void simulated_service::drop_drained() {
    std::erase_if(list_, [this](service_server* s) {
        if (!s->ends || s->generating > 0) return false;
        s->in_list = false;
        world_.note("a server is dropped");
        s->slots.check_nothing_left();
        return true;
    });
}

void simulated_service::end_overdue(service_server& s) {
    if (!s.ends || *s.ends > world_.now()) return;
    for (std::size_t i = 0; i < conversations_.size(); ++i)
        if (conversations_[i]->pinned() == &s) conversations_[i]->fail_turn();
    world_.check(s.generating == 0, "no reply takes longer than its server is there");
}

void simulated_service::server_dies(service_server& s) {
    s.slots.set_up(false);
    for (std::size_t i = 0; i < conversations_.size(); ++i)
        if (conversations_[i]->pinned() == &s) conversations_[i]->server_died();
}

void simulated_service::something_happens() {
    auto& random = world_.random();
    if (list_.empty() || chance(random, 0.2)) return add_server(pick(random, 1, urls));
    auto& s = *list_[static_cast<std::size_t>(pick(random, 0, static_cast<int>(list_.size()) - 1))];
    if (chance(random, 0.3)) return remove_server(s, milliseconds(pick(random, 0, 10'000)));
    server_dies(s);
    if (chance(random, 0.9))
        world_.at(milliseconds(pick(random, 0, 20'000)), [&s] { s.slots.set_up(true); });
}

// --- health

std::optional<time_point> simulated_service::next_event() const {
    std::optional<time_point> next;
    for (const auto* s : list_) {
        next = earlier(next, s->ends);
        if (open_ > 0 && !s->ends) next = earlier(next, s->health.next_check());
    }
    return next;
}

void simulated_service::arm_timer() {
    const auto due = next_event();
    if (!due || (timer_ && *timer_ <= *due)) return;
    timer_ = due;
    world_.at(std::max(*due, world_.now()) - world_.now(), [this, due] {
        if (timer_ != due) return;
        timer_.reset();
        timer_expired();
    });
}

void simulated_service::timer_expired() {
    for (auto* s : list_) {
        const auto due = s->health.next_check();
        if (open_ > 0 && due && *due <= world_.now()) ask_health(*s);
    }
    for (auto* s : std::vector(list_)) end_overdue(*s);
    drop_drained();
    arm_timer();
}

void simulated_service::ask_health(service_server& s) {
    s.health.check_begun();
    world_.at(milliseconds(pick(world_.random(), 0, 300)), [this, &s] {
        if (!s.in_list) return;
        error_code answer;
        if (!s.slots.is_up())
            answer = chance(world_.random(), 0.7) ? errc::connect_failed : errc::model_loading;
        s.health.answered(world_.now(), answer, {});
        world_.check(s.health.may_serve() == !answer, "a server's health is what it answered");
        arm_timer();
    });
}

// --- the end

void simulated_service::check_nothing_left() {
    world_.check(conversations_.size() == to_come_ && open_ == 0, "each conversation has ended");
    for (const auto& c : conversations_) c->check_end();
    for (const auto& s : servers_) {
        s->slots.check_nothing_left();
        world_.check(s->generating == 0, "no reply is left at a server");
        world_.check(!s->in_list || s->conversations == 0, "no conversation is left at a server");
    }
}

}  // namespace tandem::test
