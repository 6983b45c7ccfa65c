#pragma once

#include "reply/machine/reply_machine.hpp"
#include "service/server_list.hpp"
#include "simulation/simulated_core.hpp"
#include "simulation/simulated_world.hpp"

#include "tandem/error.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::test {

class simulated_conversation;

/// Conversations that come at random, over servers that die, come back, are added and removed, in
/// simulated time and all from one seed. It does what service_core does, and checks what the parts
/// of the real one promise.
class simulated_service {
 public:
    explicit simulated_service(std::uint64_t seed);
    ~simulated_service();
    /// Runs until nothing is left to happen. What was broken; empty if nothing was.
    std::vector<std::string> run();

    std::size_t conversations() const noexcept { return conversations_.size(); }
    std::uint64_t steps() const noexcept { return world_.steps(); }
    std::uint64_t course() const noexcept { return world_.course(); }
    const std::map<std::string, int>& happened() const noexcept { return world_.happened(); }
    /// The transitions that the machines made.
    detail::reply_machine::transitions made() const;

    // What conversations need of it.

    simulated_world& world() noexcept { return world_; }
    std::uint64_t next_id() noexcept { return ++last_id_; }
    int lease() const noexcept { return lease_; }
    // As server_provider has them.
    simulated_core* place(const simulated_core* pinned, bool elsewhere,
                          const std::vector<const simulated_core*>& without);
    bool server_failed(const simulated_core* core, const error_code& why);
    void turn_began(const simulated_core* core);
    void turn_ended(const simulated_core* core);
    void conversation_ended(const simulated_conversation& who, const simulated_core* pinned);
    /// What is counted for each server is what there is.
    void check_counts();

 private:
    using server_id = services::server_id;

    server_id id_of(const simulated_core* core) const;
    services::server_state state_of(const services::listed_server& s) const;
    void add_server(int url);
    void remove_server(const std::string& url, duration limit);
    void drop_drained();
    void end_expired_removal(server_id id);
    void server_dies(simulated_core& core);
    void something_happens();
    void arm_timer();
    void timer_expired();
    void ask_health(server_id id);
    void evict_if_needed(server_id id, time_point asked);
    void check_nothing_left();

    simulated_world world_;
    slot_rules rules_;
    int lease_;
    services::server_list list_;
    std::map<server_id, std::unique_ptr<simulated_core>> cores_;  // also of those that are gone
    std::uint64_t last_id_ = 0;
    std::vector<std::unique_ptr<simulated_conversation>> conversations_;
    std::size_t to_come_;
    std::size_t open_ = 0;  // conversations
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
