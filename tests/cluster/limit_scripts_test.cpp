// The scripts that admit requests of keys do what rate_limit does, and count replies.

#include "cluster/store/store_script.hpp"
#include "gateway/access/rate_limit.hpp"
#include "gateway/cluster/cluster_limits.hpp"
#include "simulated_store_state.hpp"
#include "store_fixture.hpp"
#include "support/run_settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace tandem::cluster;
using tandem::duration;
using tandem::time_point;
using tandem::gateway::make_admission_arguments;
using tandem::gateway::make_usage_arguments;
using tandem::gateway::rate_limit;
using tandem::gateway::shared_limits;

constexpr std::chrono::milliseconds lease(3000);
const std::vector<std::string> limited_gateways{"a", "b", "c"};

/// The usage of a key that the store is expected to know. All times are times of the store's clock.
class usage_ledger {
 public:
    shared_limits::verdict admit_request(time_point now, const std::string& gateway,
                                         const shared_limits::limit_query& q) {
        requests.set_per_minute(q.requests_per_minute);
        tokens.set_per_minute(q.tokens_per_minute);
        tell(now, requests, q.requests_time_until_full, q.is_doubtful || !has_requests);
        tell(now, tokens, q.tokens_time_until_full, q.is_doubtful || !has_tokens);
        has_requests = has_tokens = true;
        const auto elsewhere = q.concurrent > 0 ? count_elsewhere(now, gateway) : 0;
        const bool is_full = q.concurrent > 0 && q.running + elsewhere > q.concurrent;
        const bool is_admitted =
            !requests.time_until_allowed(now) && !tokens.time_until_allowed(now) && !is_full;
        if (is_admitted) requests.charge(now, 1);
        if (q.concurrent > 0) running[gateway] = {q.running - !is_admitted, processes.at(gateway)};
        return {is_admitted, requests.time_until_full(now), tokens.time_until_full(now), elsewhere};
    }
    void record_usage(time_point now, const std::string& gateway,
                      const shared_limits::usage_report& s) {
        if (s.running) running[gateway] = {*s.running, processes.at(gateway)};
        if (s.tokens_per_minute <= 0) return;
        tokens.set_per_minute(s.tokens_per_minute);
        tokens.charge(now, s.tokens);
        has_tokens = true;
    }
    void renew_lease(time_point now, const std::string& gateway, std::chrono::milliseconds lease) {
        std::erase_if(lease_ends, [&](const auto& m) { return m.second <= now - minute; });
        lease_ends[gateway] = now + lease;
        known_processes[gateway] = processes.at(gateway);
    }

    /// The current process of each gateway. The store knows a process only after the process has
    /// renewed the lease.
    std::map<std::string, std::string> processes{{"a", "1"}, {"b", "1"}, {"c", "1"}};

 private:
    static void tell(time_point now, rate_limit& limit, duration time_until_full, bool counts) {
        const auto known = limit.time_until_full(now);
        limit.set_time_until_full(now, counts ? std::max(known, time_until_full) : known);
    }
    std::int64_t count_elsewhere(time_point now, const std::string& gateway) {
        std::erase_if(running, [&](const auto& r) {
            return r.first != gateway && !lease_ends.contains(r.first);
        });
        std::int64_t count = 0;
        for (const auto& [other, r] : running)
            if (other != gateway && lease_ends[other] > now && r.process == known_processes[other])
                count += r.replies;
        return count;
    }

    static constexpr duration minute = std::chrono::minutes(1);

    rate_limit requests;
    rate_limit tokens;
    bool has_requests = false;
    bool has_tokens = false;
    struct running_replies {
        std::int64_t replies = 0;
        std::string process;
    };
    std::map<std::string, running_replies> running;
    std::map<std::string, time_point> lease_ends;
    std::map<std::string, std::string> known_processes;
};

class limit_scripts : public tandem::testing::store_fixture {
 protected:
    limit_scripts() {
        connect(link);
        for (const auto* script : {&admission_script, &usage_script, &lease_script})
            ask(link, {"SCRIPT", "LOAD", script->text()});
    }

    std::int64_t pick(std::int64_t count) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count));
    }
    time_point time() const { return time_point(std::chrono::milliseconds(now)); }

    void run(const store_script& script, std::vector<std::string> keys,
             std::vector<std::string> arguments, std::vector<std::int64_t> expected) {
        ++running;
        link.run({"SET", "clock", std::to_string(now)}, [](const auto&) {});
        script.run(link, std::move(keys), arguments,
                   [this, arguments, expected, at = now](const auto& answer) {
                       --running;
                       std::vector<std::int64_t> found;
                       if (answer)
                           for (const auto& item : answer->items) found.push_back(item.number);
                       if (found == expected) return;
                       ++differences;
                       ADD_FAILURE()
                           << "at " << at << ": " << testing::PrintToString(arguments) << ": "
                           << testing::PrintToString(found) << " instead of "
                           << testing::PrintToString(expected) << (answer ? answer->text : "");
                   });
    }

    void renew_lease(const std::string& gateway) {
        ledger.renew_lease(time(), gateway, lease);
        link.run({"SET", "clock", std::to_string(now)}, [](const auto&) {});
        lease_script.run(link, {"members", "processes", "drains", "loads"},
                         {gateway, ledger.processes[gateway], std::to_string(lease.count()), "{}"},
                         [](const auto&) {});
    }
    /// The gateway is killed, and started again.
    void restart(const std::string& gateway) {
        auto& process = ledger.processes[gateway];
        link.run({"SET", "gone:" + process, "1"}, [](const auto&) {});
        process += "'";
    }

    void request_verdict(const std::string& gateway) {
        constexpr std::int64_t max_ns = 90'000'000'000;
        shared_limits::limit_query q{.running = 1 + pick(4), .is_doubtful = pick(20) == 0};
        if (pick(8) > 0) q.requests_per_minute = 70;
        if (pick(8) > 0) q.tokens_per_minute = 7000;
        if (pick(2) > 0) q.concurrent = 6;
        if (q.is_doubtful || pick(5) == 0) {
            q.requests_time_until_full = std::chrono::nanoseconds(pick(max_ns));
            q.tokens_time_until_full = std::chrono::nanoseconds(pick(max_ns));
        }
        const auto v = ledger.admit_request(time(), gateway, q);
        admissions += v.is_admitted;
        run(admission_script, {"members", "usage", "processes"},
            make_admission_arguments({gateway, ledger.processes[gateway]}, q),
            {v.is_admitted, v.requests_time_until_full.count(), v.tokens_time_until_full.count(),
             v.running_elsewhere});
    }

    void report_usage(const std::string& gateway) {
        shared_limits::usage_report s{};
        if (pick(2) > 0) s.running = pick(4);
        if (pick(2) > 0) {
            s.tokens_per_minute = 7000;
            s.tokens = pick(pick(50) == 0 ? 100'000'000 : 150);
        }
        ledger.record_usage(time(), gateway, s);
        run(usage_script, {"usage"}, make_usage_arguments({gateway, ledger.processes[gateway]}, s),
            {});
    }

    void act() {
        now += pick(pick(100) == 0 ? 100'000 : 1500);
        // The clock is set back, as ntpd may do.
        if (pick(200) == 0) now -= 2000;
        const auto& gateway = limited_gateways[static_cast<std::size_t>(pick(3))];
        if (pick(50) == 0) return restart(gateway);
        switch (pick(5)) {
            case 0:
                return renew_lease(gateway);
            case 1:
                return report_usage(gateway);
            default:
                return request_verdict(gateway);
        }
    }

    store_link link{loop.get_executor(), options(), {}};
    store_script admission_script =
        tandem::testing::with_simulated_store_state(scripts::admit_request());
    store_script usage_script =
        tandem::testing::with_simulated_store_state(scripts::record_usage());
    store_script lease_script = tandem::testing::with_simulated_store_state(scripts::renew_lease());
    usage_ledger ledger;
    std::mt19937_64 random{1};
    std::int64_t now = 1'000'000;
    int running = 0;
    int differences = 0;
    int admissions = 0;
};

TEST_F(limit_scripts, do_what_rate_limit_does) {
    const auto steps =
        static_cast<int>(tandem::test::number_from_environment("TANDEM_SCRIPT_STEPS", 10'000));
    for (int i = 0; i < steps && differences == 0; ++i) {
        act();
        ASSERT_TRUE(i % 100 != 0 || run_until([&] { return running == 0; }));
    }
    ASSERT_TRUE(run_until([&] { return running == 0; }));
    EXPECT_GT(admissions, steps / 20);
    EXPECT_LT(admissions, steps / 2);
}

}  // namespace
