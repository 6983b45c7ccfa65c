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

/// A simulated llama-server, and what server_link keeps of it: the slots, what it told, and its
/// circuit.
class simulated_core {
 public:
    using prepared = std::function<void(error_code)>;

    simulated_core(simulated_world& world, slot_rules rules);

    // The server.

    bool is_up() const noexcept { return is_up_; }
    void dies() noexcept { is_up_ = false; }
    /// It takes connections and answers nothing, until it wakes.
    void freezes() noexcept { hangs_ = true; }
    void wakes() noexcept { hangs_ = false; }
    bool hangs() const noexcept { return is_up_ && hangs_; }
    /// It comes back, perhaps with other slots, and with another model: with ids of its own.
    void starts_again();
    /// Counts its starts.
    int starts() const noexcept { return starts_; }
    /// Which words its token ids mean.
    int vocabulary() const noexcept { return vocabulary_; }
    /// A request for a slot that it does not have runs on another one.
    int slot_for(int asked) const noexcept { return asked % total_slots_; }

    // What server_link does.

    simulated_slots& slots() noexcept { return slots_; }
    /// The answer of /props, at once where it is known.
    void prepare(prepared done);
    bool is_known() const noexcept { return known_.props().has_value(); }
    bool may_serve() const noexcept { return circuit_.allows(world_.now()); }
    bool refuses();
    void request_failed(const error_code& ec);
    void request_answered();
    void report_slot_mismatch(int asked, int used);
    void shut_down();
    bool is_shut_down() const noexcept { return is_shut_down_; }
    /// The model's name, as it was told, and at which start.
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
