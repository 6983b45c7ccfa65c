#pragma once

#include "cluster/slot_share.hpp"
#include "slot_ledger.hpp"
#include "slots/slot_scheduler.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <string>
#include <vector>

namespace tandem::test {

/// What happened in a simulated fleet.
struct fleet_counts {
    int requests = 0;
    /// Requests that reached a slot while another gateway's request was running there, and the
    /// longest time that they waited for its end.
    int meetings = 0;
    duration max_meeting{};
    /// Requests that began on a slot before its guard was over.
    int broken_guards = 0;
    /// How long requests waited for a slot.
    std::vector<duration> waits{};
};

/// Several gateways with real schedulers, one server and one store, in simulated time.
class simulated_fleet {
 public:
    simulated_fleet(int gateways, int slots, duration guard, std::uint64_t seed);
    ~simulated_fleet();

    /// Runs until `end`. Requests arrive at random, at a rate that keeps the fraction `load` of the
    /// slots busy on average.
    void run_until(time_point end, double load);

    /// The store notices the end of a process immediately, but the failure of its machine only when
    /// the lease ends.
    enum class notice { at_once, by_lease };
    void kill(int gateway, notice n = notice::at_once);
    /// Like kill(), but the process that replaces the killed one has the same gateway name.
    void restart(int gateway);
    void pause(int gateway, duration time);
    /// Neither commands nor answers pass between the gateway and the store. With notice::at_once,
    /// both also notice that their connections are closed.
    void cut(int gateway, notice n = notice::by_lease);
    void reconnect(int gateway);
    void stop_store(bool is_stopped);
    void empty_store() { ledger_.clear(); }
    /// Sends the gateway no more requests, and makes it return its slots.
    void leave(int gateway);

    time_point now() const noexcept { return now_; }
    /// Number of events so far.
    std::uint64_t steps() const noexcept { return steps_; }
    double load() const noexcept { return load_; }
    const fleet_counts& counts() const noexcept { return counts_; }
    void forget_counts() { counts_ = {}; }
    int count_slots(int gateway) const;
    /// Number of requests that wait at running gateways.
    int count_waiting() const;

 private:
    struct gateway;
    struct server_slot {
        int task = -1;
        const gateway* user = nullptr;
        time_point busy_until{};
        time_point ended{};
    };

    void at(time_point when, std::function<void()> what);
    void later(gateway& g, duration delay, std::function<void(gateway&)> what);
    void add_request(gateway& g);
    void arrive();
    void serve(gateway& g);
    void perform(gateway& g, const cluster::any_share_action& a);
    void perform_claim(gateway& g, const cluster::share_action::claim& c);
    void perform_offer(gateway& g, const cluster::share_action::offer& o);
    void begin(gateway& g, const slots::grant& grant);
    void end(gateway& g, int slot);
    void renew_lease(gateway& g);
    void poll_server(gateway& g);
    void publish();
    void deliver_message(gateway& g, const std::string& message);
    cluster::local_slots local_view(const gateway& g) const;
    bool reaches_store(const gateway& g) const;
    std::int64_t store_time() const;
    duration random_delay(duration most);
    std::unique_ptr<gateway> make_gateway(std::string name);
    void replace(int number, notice n, std::string name);

    struct event {
        time_point when;
        std::uint64_t number;
        std::function<void()> what;
        bool operator<(const event& other) const {
            return std::pair(when, number) > std::pair(other.when, other.number);
        }
    };

    time_point now_{};
    std::uint64_t events_ = 0;
    std::uint64_t steps_ = 0;
    std::priority_queue<event> queue_;
    std::mt19937_64 random_;
    slot_ledger ledger_;
    bool is_stopped_ = false;
    duration guard_;
    double load_ = 0;
    std::vector<server_slot> server_;
    std::vector<std::unique_ptr<gateway>> gateways_;
    std::vector<std::unique_ptr<gateway>> dead_;
    int names_ = 0;
    int processes_ = 0;
    fleet_counts counts_;
};

}  // namespace tandem::test
