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

/// Conversations of ten turns each. A turn uses a slot of its server for two seconds on average,
/// and the next turn follows after four seconds.
class simulated_servers {
 public:
    static constexpr int slots = 4;
    static constexpr int turns = 10;
    static constexpr double turn_s = 2;
    static constexpr double pause_s = 4;
    static constexpr duration report_interval = 500ms;

    simulated_servers(std::size_t gateways, std::size_t servers, double load)
        : servers_(servers), between_s_(turns * turn_s / (slots * load * double(servers))) {
        for (std::size_t g = 0; g < gateways; ++g) {
            gateways_.push_back({server_choice(placement::least_busy, g), std::vector<use>(servers),
                                 std::vector<report>(servers)});
        }
    }

    /// The mean time that turns wait for a slot, excluding turns of the first minute.
    double find_mean_wait_ms(duration end) {
        report_all();
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
    /// The conversations and turns of one gateway, or of all gateways, on a server.
    struct use {
        int conversations = 0;
        int generating = 0;  // including waiting turns
        int running = 0;
        duration running_time{};
        time_point counted_until{};
    };
    struct report {
        int conversations = 0;
        double running = 0;  // on average
    };
    struct gateway {
        server_choice choice;
        std::vector<use> own;
        std::vector<report> reported;
    };
    struct turn {
        gateway* at;
        std::size_t server;
        int left;
        time_point since;
    };
    struct server {
        use sum{};
        report reported{};
        std::deque<turn> waiting{};
    };
    struct event {
        time_point when;
        std::function<void()> what;
        bool operator<(const event& other) const { return when > other.when; }
    };

    void after(duration d, std::function<void()> what) {
        events_.push({now_ + d, std::move(what)});
    }
    duration draw(double mean_s) {
        const std::chrono::duration<double> s(std::exponential_distribution<>(1 / mean_s)(random_));
        return std::chrono::duration_cast<duration>(s);
    }

    void count(use& u, int running) {
        u.running_time += u.running * (now_ - std::exchange(u.counted_until, now_));
        u.running += running;
    }
    report make_report(use& u) {
        count(u, 0);
        const auto ran = std::exchange(u.running_time, {});
        return {u.conversations, tandem::to_ms(ran) / tandem::to_ms(report_interval)};
    }
    void report_all() {
        for (auto& s : servers_) s.reported = make_report(s.sum);
        for (auto& g : gateways_)
            for (std::size_t i = 0; i < servers_.size(); ++i) g.reported[i] = make_report(g.own[i]);
        after(report_interval, [this] { report_all(); });
    }
    std::size_t place(gateway& g) {
        const bool is_shared = gateways_.size() > 1;
        std::vector<server_load> loads;
        for (std::size_t i = 0; i < servers_.size(); ++i) {
            const auto& all = servers_[i].reported;
            const auto& reported = g.reported[i];
            server_load l{.may_serve = true, .slots = slots, .is_shared = is_shared};
            l.conversations = g.own[i].conversations;
            l.generating = g.own[i].generating;
            if (is_shared) {
                l.conversations += all.conversations - reported.conversations;
                l.generating += all.running - reported.running;
            }
            loads.push_back(l);
        }
        return *g.choice.choose(loads);
    }
    void arrive() {
        after(draw(between_s_), [this] { arrive(); });
        std::uniform_int_distribution<std::size_t> any(0, gateways_.size() - 1);
        auto& g = gateways_[any(random_)];
        const auto at = place(g);
        ++servers_[at].sum.conversations;
        ++g.own[at].conversations;
        ask({&g, at, turns, now_});
    }
    void ask(turn t) {
        auto& s = servers_[t.server];
        ++t.at->own[t.server].generating;
        t.since = now_;
        s.waiting.push_back(t);
        serve(s);
    }
    void serve(server& s) {
        if (s.sum.running == slots || s.waiting.empty()) return;
        const auto t = s.waiting.front();
        s.waiting.pop_front();
        count(s.sum, 1);
        count(t.at->own[t.server], 1);
        if (now_ > time_point(60s)) {
            waits_ms_ += tandem::to_ms(now_ - t.since);
            ++count_;
        }
        after(draw(turn_s), [this, t] { end(t); });
    }
    void end(turn t) {
        auto& s = servers_[t.server];
        auto& own = t.at->own[t.server];
        count(s.sum, -1);
        count(own, -1);
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

TEST(a_hundred_gateways, let_turns_at_a_thousand_servers_wait_nearly_as_briefly_as_one) {
    constexpr double load = 0.7;
    constexpr auto end = 120s;
    const auto one = simulated_servers(1, 1000, load).find_mean_wait_ms(end);
    const auto many = simulated_servers(100, 1000, load).find_mean_wait_ms(end);
    EXPECT_LE(many, 1.2 * one) << one << " ms";
}

}  // namespace
