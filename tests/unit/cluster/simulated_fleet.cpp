#include "simulated_fleet.hpp"

#include "support/next_grant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <sstream>
#include <utility>

namespace tandem::test {
namespace {

using namespace std::chrono_literals;

constexpr duration mean_request = 500ms;

std::int64_t to_count(duration d) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
}

}  // namespace

struct simulated_fleet::gateway {
    std::string name;
    std::string process;
    slots::slot_scheduler scheduler;
    cluster::slot_share share{};
    std::map<slots::ticket, time_point> waiting{};     // since when
    std::map<slots::ticket, std::string> elsewhere{};  // for which gateway
    std::map<std::string, slots::ticket> wishes{};     // by gateway
    time_point paused_until{};
    bool is_cut = false;
    bool knows_of_cut = false;
    bool is_dead = false;
    std::optional<time_point> next_update{};
};

simulated_fleet::simulated_fleet(int gateways, int slots, duration guard, std::uint64_t seed)
    : now_(1h + time_point{}),
      random_(seed),
      guard_(guard),
      server_(static_cast<std::size_t>(slots)) {
    for (int i = 0; i < gateways; ++i)
        gateways_.push_back(make_gateway(fmt::format("g{}", ++names_)));
    arrive();
}

simulated_fleet::~simulated_fleet() = default;

auto simulated_fleet::make_gateway(std::string name) -> std::unique_ptr<gateway> {
    auto g = std::make_unique<gateway>(
        gateway{std::move(name), fmt::format("p{}", ++processes_),
                slots::slot_scheduler(static_cast<int>(server_.size()), guard_)});
    g->scheduler.share_slots();
    renew_lease(*g);
    return g;
}

void simulated_fleet::at(time_point when, std::function<void()> what) {
    queue_.push({when, ++events_, std::move(what)});
}

// Calls `what` after the delay or, if the gateway is paused then, when the gateway wakes.
void simulated_fleet::later(gateway& g, duration delay, std::function<void(gateway&)> what) {
    at(now_ + delay, [this, &g, what = std::move(what)] {
        if (g.is_dead) return;
        if (g.paused_until > now_) return later(g, g.paused_until - now_, what);
        what(g);
        serve(g);
    });
}

duration simulated_fleet::random_delay(duration most) {
    return duration(std::uniform_int_distribution<duration::rep>(0, most.count())(random_));
}

std::int64_t simulated_fleet::store_time() const {
    return to_count(now_.time_since_epoch());
}

bool simulated_fleet::reaches_store(const gateway& g) const {
    return !g.is_cut && !is_stopped_;
}

void simulated_fleet::run_until(time_point end, double load) {
    load_ = load;
    while (!queue_.empty() && queue_.top().when <= end) {
        const auto next = queue_.top();
        queue_.pop();
        now_ = next.when;
        ++steps_;
        next.what();
    }
    now_ = end;
}

// --- requests

void simulated_fleet::arrive() {
    const double per_second = std::max(load_, 0.01) * static_cast<double>(server_.size()) /
                              std::chrono::duration<double>(mean_request).count();
    const std::chrono::duration<double> gap(std::exponential_distribution<>(per_second)(random_));
    at(now_ + std::chrono::duration_cast<duration>(gap), [this] {
        auto& g = *gateways_[random_() % gateways_.size()];
        if (load_ > 0 && !g.share.is_leaving())
            later(g, {}, [this](gateway& to) { add_request(to); });
        arrive();
    });
}

void simulated_fleet::add_request(gateway& g) {
    ++counts_.requests;
    const auto t = g.scheduler.request({.due = now_});
    if (t != slots::no_ticket) g.waiting[t] = now_;
}

int simulated_fleet::count_waiting() const {
    int all = 0;
    for (const auto& g : gateways_) all += static_cast<int>(g->waiting.size());
    return all;
}

cluster::local_slots simulated_fleet::local_view(const gateway& g) const {
    cluster::local_slots view{.reuse_guard = guard_};
    for (int slot = 0; slot < g.scheduler.slots(); ++slot)
        view.slots.push_back({g.scheduler.is_busy(slot), g.scheduler.last_used(slot)});
    view.shortage = g.scheduler.find_shortage(now_);
    return view;
}

// Grants slots and performs actions until nothing changes.
void simulated_fleet::serve(gateway& g) {
    for (auto actions = g.share.take_actions();; actions = g.share.take_actions()) {
        for (const auto& a : actions) perform(g, a);
        const auto grants = g.scheduler.take_grants(now_);
        for (const auto& grant : grants) begin(g, grant);
        g.share.update(now_, local_view(g));
        g.scheduler.set_lease(g.share.lease_end(now_));
        if (actions.empty() && grants.empty()) break;
    }
    for (const auto& a : g.share.take_actions()) perform(g, a);
    auto next = g.share.next_event(now_);
    if (const auto due = next_grant(g.scheduler)) next = std::min(next.value_or(*due), *due);
    if (!next || (g.next_update && *g.next_update > now_ && *g.next_update <= *next)) return;
    g.next_update = std::max(*next, now_ + 1us);
    later(g, *g.next_update - now_, [](gateway&) {});
}

void simulated_fleet::begin(gateway& g, const slots::grant& grant) {
    if (const auto wish = g.elsewhere.extract(grant.ticket)) {
        g.wishes.erase(wish.mapped());
        g.scheduler.send_away(grant.slot);
        g.scheduler.release(grant.slot, now_, {.has_run = false});
        g.share.on_granted_elsewhere(now_, wish.mapped(), grant.slot,
                                     g.scheduler.last_used(grant.slot));
        return;
    }
    counts_.waits.push_back(now_ - g.waiting.extract(grant.ticket).mapped());
    auto& s = server_[static_cast<std::size_t>(grant.slot)];
    const auto work = mean_request / 2 + random_delay(mean_request);
    auto starts = now_;
    if (s.busy_until > now_ && s.user != &g) {
        ++counts_.meetings;
        counts_.max_meeting = std::max(counts_.max_meeting, s.busy_until - now_);
        starts = s.busy_until;
    } else if (s.ended != time_point{} && now_ < s.ended + guard_) {
        ++counts_.broken_guards;
    }
    s.user = &g;
    ++s.task;
    s.busy_until = s.ended = starts + work;
    later(g, s.busy_until - now_, [this, slot = grant.slot](gateway& mine) { end(mine, slot); });
}

void simulated_fleet::end(gateway& g, int slot) {
    g.scheduler.release(slot, now_);
}

// --- actions

void simulated_fleet::perform(gateway& g, const cluster::any_share_action& any) {
    using namespace cluster::share_action;
    if (const auto* c = std::get_if<claim>(&any)) return perform_claim(g, *c);
    if (const auto* o = std::get_if<offer>(&any)) return perform_offer(g, *o);
    if (std::get_if<cluster::share_action::poll>(&any)) return poll_server(g);
    if (const auto* b = std::get_if<bring_back>(&any))
        return g.scheduler.bring_back(b->slot, b->last_used, b->is_untouched);
    if (const auto* s = std::get_if<send_away>(&any)) return g.scheduler.send_away(s->slot);
    if (const auto* w = std::get_if<queue_wish>(&any)) {
        if (const auto old = g.wishes.find(w->gateway); old != g.wishes.end())
            return g.scheduler.set_due(old->second, w->wish.due);
        const auto t = g.scheduler.request(
            {.kind = w->wish.kind, .due = w->wish.due, .is_from_elsewhere = true});
        g.wishes[w->gateway] = t;
        g.elsewhere[t] = w->gateway;
    }
    if (const auto* w = std::get_if<withdraw_wish>(&any))
        if (const auto old = g.wishes.extract(w->gateway)) {
            g.scheduler.withdraw(old.mapped());
            g.elsewhere.erase(old.mapped());
        }
}

void simulated_fleet::perform_claim(gateway& g, const cluster::share_action::claim& c) {
    std::optional<slot_ledger::wish> wish;
    if (c.wish)
        wish = slot_ledger::wish{"turn", std::max<std::int64_t>(0, to_count(c.wish->due - now_))};
    std::vector<slot_ledger::told_slot> held;
    for (const auto& h : c.held)
        held.push_back({h.slot, h.number, h.unused_for ? to_count(*h.unused_for) : -1});
    const bool is_lost = !reaches_store(g);
    at(now_ + 60us, [this, &g, wish, held, is_lost] {
        if (is_lost || !reaches_store(g))
            return later(g, 100ms,
                         [this](gateway& mine) { mine.share.on_claim_answer(now_, std::nullopt); });
        std::vector<cluster::loan> loans;
        for (const auto& l :
             ledger_.claim(store_time(), g.name, static_cast<int>(server_.size()), wish, held))
            loans.push_back({l.slot, l.number,
                             l.unused < 0 ? std::nullopt : std::optional<duration>(l.unused * 1ms),
                             l.is_doubtful});
        publish();
        later(g, 60us, [this, loans](gateway& mine) { mine.share.on_claim_answer(now_, loans); });
    });
}

void simulated_fleet::perform_offer(gateway& g, const cluster::share_action::offer& o) {
    const slot_ledger::told_slot s{o.loan.slot, o.loan.number,
                                   o.loan.unused_for ? to_count(*o.loan.unused_for) : -1};
    const bool is_lost = !reaches_store(g);
    at(now_ + 60us, [this, &g, s, is_lost] {
        using cluster::offer_result;
        if (is_lost || !reaches_store(g))
            return later(g, 100ms, [this, s](gateway& mine) {
                mine.share.on_offer_answer(now_, s.slot, offer_result::unknown);
            });
        const bool is_gone = ledger_.offer(store_time(), g.name, s, g.share.is_leaving());
        publish();
        later(g, 60us, [this, s, is_gone](gateway& mine) {
            mine.share.on_offer_answer(now_, s.slot,
                                       is_gone ? offer_result::taken : offer_result::not_wanted);
        });
    });
}

void simulated_fleet::renew_lease(gateway& g) {
    const auto sent = now_;
    if (is_stopped_ || g.knows_of_cut) g.share.distrust_store(now_);
    at(now_ + 60us, [this, &g, sent] {
        if (g.is_dead || !reaches_store(g)) return;
        const auto answer = ledger_.renew_lease(store_time(), g.name, g.process, 3000);
        later(g, 60us, [this, sent, answer](gateway& mine) {
            if (answer.was_known == 0) mine.share.distrust_store(now_);
            mine.share.renew_lease(sent + 2s, answer.missing > 0);
        });
    });
    later(g, 500ms, [this](gateway& mine) { renew_lease(mine); });
}

void simulated_fleet::poll_server(gateway& g) {
    at(now_ + 200us, [this, &g] {
        std::vector<tandem::slot_state> states;
        for (std::size_t i = 0; i < server_.size(); ++i) {
            tandem::slot_state s{.id = static_cast<int>(i)};
            s.processing = server_[i].busy_until > now_;
            if (server_[i].task >= 0) s.task = server_[i].task;
            states.push_back(s);
        }
        later(g, 200us, [this, states](gateway& mine) { mine.share.on_poll_answer(now_, states); });
    });
}

void simulated_fleet::publish() {
    for (const auto& message : ledger_.take_messages())
        for (const auto& g : gateways_)
            if (reaches_store(*g))
                later(*g, 40us + random_delay(100us),
                      [this, message](gateway& mine) { deliver_message(mine, message); });
}

void simulated_fleet::deliver_message(gateway& g, const std::string& message) {
    std::istringstream in(message);
    std::string what, name, kind;
    in >> what >> name;
    if (what == "lent" && name == g.name) {
        std::int64_t unused = 0;
        cluster::loan l;
        in >> l.slot >> l.number >> unused;
        if (unused >= 0) l.unused_for = unused * 1ms;
        g.share.on_loan(now_, l);
    } else if (what == "wish" && name != g.name) {
        std::int64_t due_in = 0;
        in >> kind >> due_in;
        g.share.on_wish(now_, name, {slots::request_kind::turn, now_ + due_in * 1ms});
    } else if (what != "wish") {
        g.share.on_wish_end(name);
    }
}

// --- faults

void simulated_fleet::kill(int number, notice n) {
    replace(number, n, fmt::format("g{}", ++names_));
}

void simulated_fleet::restart(int number) {
    replace(number, notice::at_once, gateways_[static_cast<std::size_t>(number)]->name);
}

void simulated_fleet::replace(int number, notice n, std::string name) {
    auto& place = gateways_[static_cast<std::size_t>(number)];
    place->is_dead = true;
    if (n == notice::at_once) ledger_.hang_up(place->process);
    for (auto& s : server_)
        if (s.user == place.get() && s.busy_until > now_) s.busy_until = s.ended = now_ + 30ms;
    dead_.push_back(std::move(place));
    place = make_gateway(std::move(name));
}

void simulated_fleet::pause(int number, duration time) {
    gateways_[static_cast<std::size_t>(number)]->paused_until = now_ + time;
}

void simulated_fleet::cut(int number, notice n) {
    auto& g = *gateways_[static_cast<std::size_t>(number)];
    g.is_cut = true;
    g.knows_of_cut = n == notice::at_once;
    if (g.knows_of_cut) ledger_.hang_up(g.process);
}

void simulated_fleet::reconnect(int number) {
    auto& g = *gateways_[static_cast<std::size_t>(number)];
    g.is_cut = g.knows_of_cut = false;
    ledger_.connect(g.process);
    g.share.distrust_store(now_);
    serve(g);
}

void simulated_fleet::leave(int number) {
    auto& g = *gateways_[static_cast<std::size_t>(number)];
    g.share.leave();
    serve(g);
}

int simulated_fleet::count_slots(int number) const {
    return gateways_[static_cast<std::size_t>(number)]->share.count_slots();
}

void simulated_fleet::stop_store(bool is_stopped) {
    is_stopped_ = is_stopped;
}

}  // namespace tandem::test
