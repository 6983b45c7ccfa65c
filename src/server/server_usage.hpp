#pragma once

#include "server/circuit_breaker.hpp"
#include "server/slot_table.hpp"

#include <utility>

namespace tandem::detail {

/// A client's or service's use of one server; created before its first request. Used on the strand,
/// except for the constructor and destructor.
struct server_usage {
    server_usage(const config& c, const slot_defaults& new_defaults, slot_scope scope)
        : slots(join_server_slots(c, new_defaults, scope, startup_warning)),
          circuit(c.failover.breaker_failures, c.failover.breaker_pause) {}
    ~server_usage() {
        const auto table = slots->lock();
        --table->users;
        table->conversations -= conversations_;
    }
    server_usage(const server_usage&) = delete;
    server_usage& operator=(const server_usage&) = delete;

    void set_conversations(int count) {
        slots->lock()->conversations += count - std::exchange(conversations_, count);
    }

    /// A warning for the log, to be written on the strand.
    std::optional<log_line> startup_warning;
    const shared_slot_table slots;
    circuit_breaker circuit;
    /// Whether this client or service has read the server's /props.
    bool has_read_props = false;

 private:
    int conversations_ = 0;
};

}  // namespace tandem::detail
