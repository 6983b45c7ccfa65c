#pragma once

#include "chaos/chaos_fixture.hpp"
#include "support/poll_until.hpp"

#include <memory>
#include <string>
#include <vector>

namespace tandem::testing {

/// Real servers, each behind its own proxy.
class proxied_servers : public chaos {
 protected:
    void start_proxied(int count, const chaos_plan& plan) {
        start_servers(count);
        for (int i = 0; i < count; ++i)
            proxies_.push_back(
                std::make_unique<chaos_proxy>(server(static_cast<std::size_t>(i)).port(), plan));
    }
    chaos_proxy& proxy(std::size_t i) { return *proxies_[i]; }
    std::vector<std::string> urls() const {
        std::vector<std::string> list;
        for (const auto& p : proxies_) list.push_back(p->url());
        return list;
    }

    service_config impatient_service() { return impatient(service_of(urls())); }

    /// Gives each connection a random fault or none. "No fault" has the weight `well`; all faults
    /// together have the weight 22, or 34 with corruption.
    void make_network_bad(bool corrupts, int well = 40) {
        chaos_plan plan{.seed = seed()};
        plan.weight(connection_fault::none) = well;
        plan.weight(connection_fault::delay) = 10;
        for (const auto i : {connection_fault::drop, connection_fault::stall,
                             connection_fault::reset, connection_fault::close})
            plan.weight(i) = 3;
        plan.weight(connection_fault::corrupt) = corrupts ? 12 : 0;
        for (const auto& p : proxies_) p->set_plan(plan);
    }
    void make_network_good() {
        for (const auto& p : proxies_) p->set_plan({});
    }

    int fault_total(connection_fault i) const {
        int total = 0;
        for (const auto& p : proxies_) total += p->count(i);
        return total;
    }
    std::string fault_counts() const {
        return fmt::format(
            "{} connections passed, {} late, {} dropped, {} stalled, {} reset, {} closed, "
            "{} corrupted",
            fault_total(connection_fault::none), fault_total(connection_fault::delay),
            fault_total(connection_fault::drop), fault_total(connection_fault::stall),
            fault_total(connection_fault::reset), fault_total(connection_fault::close),
            fault_total(connection_fault::corrupt));
    }

    /// Expects that the proxies have no connections left, and the servers no requests.
    void expect_nothing_left() {
        for (std::size_t i = 0; i < proxies_.size(); ++i) {
            EXPECT_TRUE(poll_until([&] { return proxy(i).running() == 0; }));
            EXPECT_TRUE(becomes_idle(server(i)));
        }
    }

 private:
    std::vector<std::unique_ptr<chaos_proxy>> proxies_;
};

}  // namespace tandem::testing
