#pragma once

#include "tandem/service_config.hpp"

#include <cstdint>
#include <map>
#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>
#include <string>

namespace tandem::gateway {

/// Metrics of the servers. Servers with the same label are added up.
class server_metrics {
 public:
    explicit server_metrics(prometheus::Registry& registry) : registry_(registry) {}

    /// From now on, the label has values.
    void begin(const std::string& label);

    // The current values: clear(), then add() for each server, then forget_others().
    void clear();
    void add(const std::string& label, const server_status& s);
    void forget_others();

 private:
    using gauges = prometheus::Family<prometheus::Gauge>;
    using counters = prometheus::Family<prometheus::Counter>;

    /// Changes of conversation in its slots, as last seen.
    struct residence {
        std::int64_t changes = 0;
        std::int64_t tokens = 0;
        bool is_current = true;
    };

    gauges& make_gauges(const char* name, const char* help);
    counters& make_counters(const char* name, const char* help);
    prometheus::Gauge& state_of(const std::string& label, const char* state);
    void clear(const std::string& label);
    void count_residence(const std::string& label, const server_status& s);

    prometheus::Registry& registry_;
    /// The labels, and the last values of their servers by URL.
    std::map<std::string, std::map<std::string, residence>> seen_;

    gauges& state_ = make_gauges("tandem_server_state", "Servers in this state.");
    gauges& circuit_open_ =
        make_gauges("tandem_server_circuit_open",
                    "Servers that get no requests because their last ones failed.");
    gauges& draining_ = make_gauges("tandem_server_draining",
                                    "Servers that only finish replies: drained or removed.");
    gauges& slots_ = make_gauges("tandem_server_slots", "Slots that are used.");
    gauges& conversations_ =
        make_gauges("tandem_server_conversations", "Conversations that are pinned to a server.");
    gauges& replies_running_ =
        make_gauges("tandem_server_replies_running", "Running replies, including waiting ones.");
    gauges& queue_depth_ =
        make_gauges("tandem_server_queue_depth", "Requests that wait for a slot.");
    gauges& speed_ =
        make_gauges("tandem_server_tokens_per_second",
                    "Tokens that a server generates per second at most; 0 while unknown.");
    counters& residence_changes_ = make_counters("tandem_server_residence_changes_total",
                                                 "Slots that got another conversation.");
    counters& residence_change_tokens_ =
        make_counters("tandem_server_residence_change_tokens_total",
                      "Prompt tokens evaluated when a slot got another conversation.");
};

}  // namespace tandem::gateway
