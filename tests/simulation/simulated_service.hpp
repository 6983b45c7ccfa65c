#pragma once

#include "reply/machine/reply_machine.hpp"
#include "service/server_list.hpp"
#include "simulation/simulated_server.hpp"
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

/// Random conversations on servers that die, come back, are added and are removed, in simulated
/// time and from one seed. Mirrors service_core, and checks the promises of its parts.
class simulated_service {
 public:
    explicit simulated_service(std::uint64_t seed);
    ~simulated_service();
    /// Runs until no events are left. Returns the broken promises.
    std::vector<std::string> run();

    std::size_t conversations() const noexcept { return conversations_.size(); }
    std::uint64_t steps() const noexcept { return world_.steps(); }
    std::uint64_t course() const noexcept { return world_.course(); }
    const std::map<std::string, int>& happened() const noexcept { return world_.happened(); }
    /// The transitions that the machines made.
    detail::reply_machine::transitions made() const;

    // Functions for the conversations.

    simulated_world& world() noexcept { return world_; }
    std::uint64_t next_id() noexcept { return ++last_id_; }
    // Mirror server_provider.
    simulated_server* place(const simulated_server* pinned, bool elsewhere,
                            const std::vector<const simulated_server*>& without);
    bool on_server_failed(const simulated_server* core, const error_code& why);
    void on_turn_started(const simulated_server* core);
    void on_turn_ended(const simulated_server* core);
    void on_conversation_ended(const simulated_conversation& who, const simulated_server* pinned);
    /// Checks each server's counts of conversations and replies.
    void check_counts();

 private:
    using server_id = services::server_id;

    server_id id_of(const simulated_server* core) const;
    services::server_state state_of(const services::listed_server& s) const;
    void add_server(int url);
    void remove_server(const std::string& url, duration limit);
    void drop_idle_removed_servers();
    void end_expired_removal(server_id id);
    void server_dies(simulated_server& core);
    void something_happens();
    void arm_timer();
    void timer_expired();
    void ask_health(server_id id);
    void evict_if_needed(server_id id, time_point asked);
    void check_nothing_left();

    simulated_world world_;
    slot_rules rules_;
    services::server_list list_;
    std::map<server_id, std::unique_ptr<simulated_server>> cores_;  // including removed servers
    std::uint64_t last_id_ = 0;
    std::vector<std::unique_ptr<simulated_conversation>> conversations_;
    std::size_t to_come_;
    std::size_t open_ = 0;  // open conversations
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
