#include "gateway/telemetry/server_metrics.hpp"

#include "gateway/telemetry/metric_label_values.hpp"

namespace tandem::gateway {
namespace {

/// `more` is negative if the count in the server's status restarts at 0, but a counter must not
/// decrease.
void raise_by(prometheus::Counter& counter, std::int64_t more) {
    if (more > 0) counter.Increment(static_cast<double>(more));
}

}  // namespace

prometheus::Gauge& server_metrics::state_gauge(const std::string& label, const char* state) {
    return state_.Add({{"server", label}, {"state", state}});
}

void server_metrics::create_series(const std::string& label) {
    seen_.try_emplace(label);
    clear(label);
    residence_changes_.Add({{"server", label}});
    residence_change_tokens_.Add({{"server", label}});
}

void server_metrics::clear() {
    for (auto& [label, servers] : seen_) {
        clear(label);
        for (auto& [url, last] : servers) last.is_current = false;
    }
}

void server_metrics::clear(const std::string& label) {
    for (const auto& [which, name] : server_states) state_gauge(label, name).Set(0);
    for (auto* const family : {&circuit_open_, &draining_, &slots_, &conversations_,
                               &replies_running_, &queue_depth_, &speed_})
        family->Add({{"server", label}}).Set(0);
}

void server_metrics::add(const std::string& label, const server_status& s) {
    if (!seen_.contains(label)) create_series(label);
    const prometheus::Labels labels{{"server", label}};
    for (const auto& [which, name] : server_states)
        if (which == s.state) state_gauge(label, name).Increment();
    circuit_open_.Add(labels).Increment(s.circuit_open);
    draining_.Add(labels).Increment(s.draining);
    slots_.Add(labels).Increment(s.slots);
    conversations_.Add(labels).Increment(s.conversations);
    replies_running_.Add(labels).Increment(s.generating);
    queue_depth_.Add(labels).Increment(s.waiting);
    speed_.Add(labels).Increment(s.tokens_per_s.value_or(0));
    count_residence(label, s);
}

void server_metrics::count_residence(const std::string& label, const server_status& s) {
    auto& last = seen_[label][s.url];
    raise_by(residence_changes_.Add({{"server", label}}), s.residence_changes - last.changes);
    raise_by(residence_change_tokens_.Add({{"server", label}}),
             s.residence_change_tokens - last.tokens);
    last = {s.residence_changes, s.residence_change_tokens};
}

void server_metrics::remove_unlisted() {
    for (auto& [label, servers] : seen_)
        std::erase_if(servers, [](const auto& entry) { return !entry.second.is_current; });
}

}  // namespace tandem::gateway
