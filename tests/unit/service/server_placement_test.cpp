// Many gateways that place conversations on the same servers, in simulated time.

#include "base/time.hpp"
#include "service/server_choice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <queue>
#include <random>
#include <utility>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::placement;
using tandem::time_point;
using tandem::services::server_choice;
using tandem::services::server_load;

/// Conversations of ten turns each. A turn takes a slot of its server for two seconds on average,
/// and the next one follows after four.
class simulated_servers {
 public:
    static constexpr int slots = 4;
    static constexpr int turns = 10;
    static constexpr double turn_s = 2;
    static constexpr double pause_s = 4;

    simulated_servers(std::size_t gateways, std::size_t servers, double load)
        : servers_(servers), between_s_(turns * turn_s / (slots * load * double(servers))) {
        for (std::size_t g = 0; g < gateways; ++g) {
            gateways_.push_back({server_choice(placement::least_busy, g), {}, {}});
            gateways_.back().own.resize(servers);
            gateways_.back().reported.resize(servers);
        }
    }

    /// The average wait of the turns for a slot, without those of the first minute.
    double find_mean_wait_ms(duration end) {
        report();
        arrive();
        while (!events_.empty() && events_.top().when < time_point(end)) {
            const auto e = events_.top();
            events_.pop();
            now_ = e.when;
            e.what();
        }
        return waits_ms_ / count_;
    }

 private:
    struct use {
        int conversations = 0;
        int generating = 0;
    };
    struct gateway {
        server_choice choice;
        std::vector<use> own;
        std::vector<use> reported;  // of `own`, to the others
    };
    struct turn {
        gateway* at;
        std::size_t server;
        int left;
        time_point since;
    };
    struct server {
        use sum{};
        use reported{};
        int busy = 0;
        std::deque<turn> waiting{};
    };
    struct event {
        time_point when;
        std::function<void()> what;
        bool operator<(const event& other) const { return when > other.when; }
    };

    void after(double seconds, std::function<void()> what) {
        events_.push(
            {now_ + std::chrono::duration_cast<duration>(std::chrono::duration<double>(seconds)),
             std::move(what)});
    }
    double draw(double mean) { return std::exponential_distribution<>(1 / mean)(random_); }

    void report() {
        for (auto& s : servers_) s.reported = s.sum;
        for (auto& g : gateways_) g.reported = g.own;
        after(0.5, [this] { report(); });
    }
    std::size_t place(gateway& g) {
        const bool is_shared = gateways_.size() > 1;
        std::vector<server_load> loads;
        for (std::size_t i = 0; i < servers_.size(); ++i) {
            const auto known = [&](int use::*n) {
                return double(servers_[i].reported.*n - g.reported[i].*n + g.own[i].*n);
            };
            loads.push_back({.may_serve = true,
                             .slots = slots,
                             .conversations = known(&use::conversations),
                             .generating = known(&use::generating),
                             .is_shared = is_shared});
        }
        return *g.choice.choose(loads);
    }
    void arrive() {
        after(draw(between_s_), [this] { arrive(); });
        auto& g =
            gateways_[std::uniform_int_distribution<std::size_t>(0, gateways_.size() - 1)(random_)];
        const auto at = place(g);
        ++servers_[at].sum.conversations;
        ++g.own[at].conversations;
        ask({&g, at, turns, now_});
    }
    void ask(turn t) {
        auto& s = servers_[t.server];
        ++s.sum.generating;
        ++t.at->own[t.server].generating;
        t.since = now_;
        s.waiting.push_back(t);
        serve(s);
    }
    void serve(server& s) {
        if (s.busy == slots || s.waiting.empty()) return;
        const auto t = s.waiting.front();
        s.waiting.pop_front();
        ++s.busy;
        if (now_ > time_point(1min)) {
            waits_ms_ += tandem::to_ms(now_ - t.since);
            ++count_;
        }
        after(draw(turn_s), [this, t] { end(t); });
    }
    void end(turn t) {
        auto& s = servers_[t.server];
        auto& own = t.at->own[t.server];
        --s.busy;
        --s.sum.generating;
        --own.generating;
        if (--t.left == 0) {
            --s.sum.conversations;
            --own.conversations;
        } else {
            after(draw(pause_s), [this, t] { ask(t); });
        }
        serve(s);
    }

    time_point now_{};
    std::mt19937_64 random_{1};
    std::priority_queue<event> events_;
    std::vector<server> servers_;
    std::vector<gateway> gateways_;
    double between_s_;
    double waits_ms_ = 0;
    double count_ = 0;
};

TEST(a_hundred_gateways, let_turns_at_a_thousand_servers_wait_hardly_longer_than_a_single_one) {
    constexpr double load = 0.7;
    constexpr auto end = 90s;
    const auto one = simulated_servers(1, 1000, load).find_mean_wait_ms(end);
    const auto many = simulated_servers(100, 1000, load).find_mean_wait_ms(end);
    EXPECT_LE(many, 1.2 * one) << one << " ms";
}

}  // namespace
