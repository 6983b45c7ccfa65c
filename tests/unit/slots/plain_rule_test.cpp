// One plain rule assigns slots. Random runs compare the scheduler with it.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::time_point;
using tandem::slots::is_for_listener;
using tandem::slots::owner_id;
using tandem::slots::release_info;
using tandem::slots::request_kind;
using tandem::slots::server_slot_state;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;

/// The rule: the first ticket with an open slot is served, and no later ticket is served before it.
class plain_rule {
 public:
    plain_rule(int slots, duration guard)
        : guard_(guard), slots_(static_cast<std::size_t>(slots)) {}

    void request(ticket t, slot_request w) { queue_.emplace_back(t, std::move(w)); }
    void withdraw(ticket t) {
        std::erase_if(queue_, [t](const auto& w) { return w.first == t; });
    }
    void release(int slot, time_point now, const release_info& note) {
        auto& s = slots_.at(static_cast<std::size_t>(slot));
        s.busy = s.is_being_prefilled = false;
        if (!note.has_run) return;
        s.side = note.server_state;
        s.holds = note.holds;
        s.last_user = s.user;
        s.filled = now;
        if (note.is_use) s.ready = now + guard_, last_ = slot;
    }
    void let_go(owner_id owner) {
        for (auto& s : slots_)
            if (s.owner == owner) s.owner = tandem::slots::nobody;
    }
    void set_server_state(int slot, server_slot_state side) { at_slot(slot).side = side; }

    /// The next ticket and its slot, or the time when a ticket can be served.
    struct step {
        std::optional<std::pair<ticket, int>> given{};
        std::optional<time_point> due{};
    };
    step next(time_point now) {
        std::stable_sort(queue_.begin(), queue_.end(), [](const auto& a, const auto& b) {
            const auto place_of = [](const slot_request& w) {
                return std::pair(!is_for_listener(w), w.due);
            };
            return place_of(a.second) < place_of(b.second);
        });
        step found;
        for (auto i = queue_.begin(); i != queue_.end(); ++i) {
            const auto& w = i->second;
            if (!is_for_listener(w) && is_for_listener(queue_.front().second)) break;
            const auto open = open_to(w);
            if (open.empty()) continue;
            const int best = *std::min_element(open.begin(), open.end(), [&](int a, int b) {
                return rank(a, w, now) < rank(b, w, now);
            });
            if (slot(best).ready <= now) return {.given = give(i, best)};
            found.due = std::min(found.due.value_or(slot(best).ready), slot(best).ready);
            if (!awaits_prefilling(w)) break;
        }
        return found;
    }

 private:
    struct slot_state {
        bool busy = false;
        bool is_being_prefilled = false;
        server_slot_state side = server_slot_state::idle;
        time_point ready = time_point::min();
        std::string holds{};
        owner_id owner = tandem::slots::nobody;
        owner_id user = tandem::slots::nobody;
        owner_id last_user = tandem::slots::nobody;
        std::optional<time_point> filled{};
    };
    using queue = std::vector<std::pair<ticket, slot_request>>;

    slot_state& at_slot(int i) { return slots_.at(static_cast<std::size_t>(i)); }
    const slot_state& slot(int i) const { return slots_.at(static_cast<std::size_t>(i)); }
    bool awaits_prefilling(const slot_request& w) const {
        return w.warmed && slot(*w.warmed).is_being_prefilled && slot(*w.warmed).owner == w.owner;
    }

    std::vector<int> open_to(const slot_request& w) const {
        const bool all_stuck = std::all_of(slots_.begin(), slots_.end(), [](const auto& s) {
            return s.side == server_slot_state::busy;
        });
        std::vector<int> open;
        for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
            const auto& s = slot(i);
            const bool may_prefill = s.side != server_slot_state::busy &&
                                     s.side != server_slot_state::unverified &&
                                     (s.owner == tandem::slots::nobody || s.owner == w.owner);
            const bool may_ask = s.side != server_slot_state::busy || all_stuck;
            const bool holds_enough = !awaits_prefilling(w) || s.holds.starts_with(w.prompt);
            if (!s.busy && holds_enough && (is_for_listener(w) ? may_ask : may_prefill))
                open.push_back(i);
        }
        return open;
    }

    // The smallest rank is the best.
    std::tuple<bool, bool, bool, int, bool, time_point, int> rank(int i, const slot_request& w,
                                                                  time_point now) const {
        const auto& s = slot(i);
        const int turn =
            (i - turn_ + static_cast<int>(slots_.size())) % static_cast<int>(slots_.size());
        if (s.ready > now) return {true, false, false, 0, false, s.ready, turn};
        int same = 0;
        for (std::size_t n = 0; n < std::min(w.prompt.size(), s.holds.size()); ++n, ++same)
            if (w.prompt[n] != s.holds[n]) break;
        // For five minutes, the loss of another owner's text counts against the slot.
        const bool is_lost = s.last_user != tandem::slots::nobody && s.last_user != w.owner &&
                             s.filled && now - *s.filled < std::chrono::minutes(5);
        const int lost = is_lost ? static_cast<int>(s.holds.size()) - same : 0;
        const bool is_warm = i == w.warmed && !s.holds.empty() && w.prompt.starts_with(s.holds);
        return {false,      s.side == server_slot_state::maybe_busy,
                !is_warm,   lost - same,
                i != last_, s.ready,
                turn};
    }

    std::pair<ticket, int> give(queue::iterator i, int best) {
        const auto [t, w] = *i;
        queue_.erase(i);
        if (is_for_listener(w) && best != last_)
            turn_ = (best + 1) % static_cast<int>(slots_.size());
        auto& s = at_slot(best);
        s.busy = true;
        s.is_being_prefilled = !is_for_listener(w);
        s.owner = s.user = w.owner;
        return {t, best};
    }

    duration guard_;
    std::vector<slot_state> slots_;
    queue queue_;
    int turn_ = 0;
    std::optional<int> last_;
};

/// Applies the same calls to the scheduler and to the plain rule.
class random_run {
 public:
    explicit random_run(unsigned seed)
        : random_(seed),
          slots_(pick(1, 4)),
          guard_(pick(0, 3) * 500ms),
          scheduler_(slots_, guard_),
          rule_(slots_, guard_) {}

    void go() {
        for (int step = 0; step < 120 && !testing::Test::HasFailure(); ++step) {
            now_ += pick(0, 6) * 100ms;
            do_something();
            compare();
        }
    }
    int grants() const { return grants_; }

 private:
    int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
    std::string text() {
        constexpr const char* texts[] = {"", "Dear", "Dear A", "Dear Anna", "Other"};
        return texts[pick(0, 4)];
    }

    void do_something() {
        switch (pick(0, 9)) {
            case 0:
                if (!waiting_.empty()) withdraw();
                break;
            case 1:
                return change();
            case 2:
            case 3:
            case 4:
            case 5:
                return ask();
            default:
                if (!used_.empty()) release();
        }
    }

    // At most one ticket prefills. Among several, a ticket that waits for a guard would let others
    // pass, which the plain rule does not allow.
    void ask() {
        slot_request w{.prompt = text(), .owner = static_cast<owner_id>(pick(0, 3))};
        if (pick(0, 2) == 0) w.warmed = pick(0, slots_ - 1);
        w.kind = static_cast<request_kind>(pick(0, warming_ ? 1 : 2));
        w.due = at(pick(0, 3) * 1s);
        const auto t = scheduler_.request(w);
        if (!is_for_listener(w)) warming_ = t;
        waiting_.push_back(t);
        rule_.request(t, w);
    }
    void withdraw() {
        const auto t = waiting_.at(static_cast<std::size_t>(pick(0, size_of(waiting_) - 1)));
        scheduler_.withdraw(t);
        rule_.withdraw(t);
        forget(t);
    }
    void release() {
        const auto i = used_.begin() + pick(0, size_of(used_) - 1);
        const int side = std::max(0, pick(-3, 3));
        const release_info note{.server_state = static_cast<server_slot_state>(side),
                                .has_run = pick(0, 4) > 0,
                                .is_use = pick(0, 4) > 0,
                                .holds = text()};
        scheduler_.release(*i, now_, note);
        rule_.release(*i, now_, note);
        used_.erase(i);
    }
    void change() {
        const int slot = pick(0, slots_ - 1);
        const auto side = static_cast<server_slot_state>(pick(0, 3));
        const auto owner = static_cast<owner_id>(pick(1, 3));
        scheduler_.set_server_state(slot, side);
        rule_.set_server_state(slot, side);
        scheduler_.release_owner(owner);
        rule_.let_go(owner);
    }

    void compare() {
        for (const auto& g : scheduler_.take_grants(now_)) {
            const auto expected = rule_.next(now_).given;
            ASSERT_TRUE(expected) << "ticket " << g.ticket << " got slot " << g.slot;
            ASSERT_EQ(std::pair(g.ticket, g.slot), *expected);
            used_.push_back(g.slot);
            forget(g.ticket);
            ++grants_;
        }
        const auto rest = rule_.next(now_);
        ASSERT_FALSE(rest.given) << "ticket " << rest.given->first << " waits";
        ASSERT_EQ(next_grant(scheduler_), rest.due);
    }
    void forget(ticket t) {
        std::erase(waiting_, t);
        if (warming_ == t) warming_.reset();
    }
    template <typename List>
    static int size_of(const List& list) {
        return static_cast<int>(list.size());
    }

    std::mt19937 random_;
    int slots_;
    duration guard_;
    slot_scheduler scheduler_;
    plain_rule rule_;
    time_point now_ = at(0s);
    std::vector<ticket> waiting_;
    std::optional<ticket> warming_;
    std::vector<int> used_;
    int grants_ = 0;
};

TEST(plain_rule, is_what_random_requests_get) {
    int grants = 0;
    for (unsigned seed = 1; seed <= 500 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        random_run run(seed);
        run.go();
        grants += run.grants();
    }
    EXPECT_GT(grants, 10'000) << "the runs must grant slots";
}

}  // namespace
