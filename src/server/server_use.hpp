#pragma once

#include "server/circuit_breaker.hpp"
#include "server/slot_room.hpp"

namespace tandem::detail {

/// A client's or a service's use of one server, which it begins before its first request. On the
/// strand, except the constructor and the destructor.
struct server_use {
    server_use(const config& c, const slot_defaults& usual)
        : slots(join_server_slots(c, usual, remark)),
          circuit(c.breaker_failures, c.breaker_pause) {}
    ~server_use() { --slots->lock()->users; }
    server_use(const server_use&) = delete;
    server_use& operator=(const server_use&) = delete;

    /// A warning for the log, which must be written on the strand.
    std::optional<log_line> remark;
    const shared_slots slots;
    circuit_breaker circuit;
    /// This client or service has read the server's /props.
    bool has_met_server = false;
};

}  // namespace tandem::detail
