#pragma once

#include "server/circuit_breaker.hpp"
#include "server/server_props_cache.hpp"
#include "simulation/simulated_slots.hpp"
#include "simulation/simulated_world.hpp"

#include "tandem/error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

/// A simulated llama-server, and the state that server_link keeps for a server: slots, properties
/// and circuit breaker.
class simulated_server {
 public:
    using prepared = std::function<void(error_code)>;

    simulated_server(simulated_world& world, slot_rules rules);

    // The server.

    bool is_up() const noexcept { return is_up_; }
    void dies() noexcept { is_up_ = false; }
    /// The server accepts connections but answers nothing until wakes() is called.
    void freezes() noexcept { hangs_ = true; }
    void wakes() noexcept { hangs_ = false; }
    bool hangs() const noexcept { return is_up_ && hangs_; }
    /// The server comes back, possibly with another number of slots and with another model, which
    /// has its own token ids.
    void starts_again();
    /// The number of restarts.
    int starts() const noexcept { return starts_; }
    /// The vocabulary of the token ids.
    int vocabulary() const noexcept { return vocabulary_; }
    /// The slot on which a request runs. A request for a missing slot runs on another slot.
    int slot_for(int asked) const noexcept { return asked % total_slots_; }

    // Mirrors server_link.

    simulated_slots& slots() noexcept { return slots_; }
    /// Requests /props. Completes immediately if the properties are known.
    void prepare(prepared done);
    bool is_known() const noexcept { return known_.props().has_value(); }
    bool may_serve() const noexcept { return circuit_.allows(world_.now()); }
    bool refuses();
    void on_request_failed(const error_code& ec);
    void request_answered();
    void report_slot_mismatch(int asked, int used);
    void shut_down();
    bool is_shut_down() const noexcept { return is_shut_down_; }
    /// The model's name in the last answer of /props, and the number of restarts at that time.
    const std::string& model() const { return known_.props()->model; }
    int told_starts() const noexcept { return told_starts_; }

 private:
    void on_props_received();
    void answer_preparing(const error_code& why);

    simulated_world& world_;
    simulated_slots slots_;
    int total_slots_;
    int vocabulary_ = 0;
    int starts_ = 0;
    bool is_up_ = true;
    bool hangs_ = false;
    detail::server_props_cache known_;
    int told_starts_ = 0;
    detail::circuit_breaker circuit_;
    std::vector<prepared> preparing_;
    bool is_shut_down_ = false;
};

}  // namespace tandem::test
