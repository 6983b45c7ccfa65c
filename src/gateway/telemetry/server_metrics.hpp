#pragma once

#include "gateway/telemetry/metric_families.hpp"

#include "tandem/service_config.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace tandem::gateway {

/// Metrics of the servers. Values of servers with the same label are added up.
class server_metrics {
 public:
    explicit server_metrics(prometheus::Registry& registry) : registry_(registry) {}

    /// Creates the series of the label.
    void create_series(const std::string& label);

    // To set the current values, call clear(), then add() for each server, then remove_unlisted().
    void clear();
    void add(const std::string& label, const server_status& s);
    void remove_unlisted();

 private:
    /// How often the conversations in a server's slots changed, as last reported.
    struct residence {
        std::int64_t changes = 0;
        std::int64_t tokens = 0;
        bool is_current = true;
    };

    prometheus::Gauge& state_gauge(const std::string& label, const char* state);
    void clear(const std::string& label);
    void count_residence(const std::string& label, const server_status& s);

    prometheus::Registry& registry_;
    /// For each label, the last values of its servers, by URL.
    std::map<std::string, std::map<std::string, residence>> seen_;

    gauge_family& state_ =
        register_gauges(registry_, "tandem_server_state", "Servers in this state.");
    gauge_family& circuit_open_ =
        register_gauges(registry_, "tandem_server_circuit_open",
                        "Servers that get no requests because their last ones failed.");
    gauge_family& draining_ =
        register_gauges(registry_, "tandem_server_draining",
                        "Servers that only finish replies: drained or removed.");
    gauge_family& slots_ =
        register_gauges(registry_, "tandem_server_slots", "Slots that are used.");
    gauge_family& conversations_ = register_gauges(registry_, "tandem_server_conversations",
                                                   "Conversations that are pinned to a server.");
    gauge_family& replies_running_ = register_gauges(registry_, "tandem_server_replies_running",
                                                     "Running replies, including waiting ones.");
    gauge_family& queue_depth_ =
        register_gauges(registry_, "tandem_server_queue_depth", "Requests that wait for a slot.");
    gauge_family& speed_ =
        register_gauges(registry_, "tandem_server_tokens_per_second",
                        "Token rate of a server under full load in tokens/s; 0 while unknown.");
    counter_family& residence_changes_ = register_counters(
        registry_, "tandem_server_residence_changes_total", "Slots that got another conversation.");
    counter_family& residence_change_tokens_ =
        register_counters(registry_, "tandem_server_residence_change_tokens_total",
                          "Prompt tokens evaluated when a slot got another conversation.");
};

}  // namespace tandem::gateway
