#pragma once

#include "service/server_choice.hpp"
#include "service/server_health.hpp"
#include "simulation/simulated_slots.hpp"
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

/// A server of a simulated service, as service_core keeps it.
struct service_server {
    service_server(simulated_world& world, int url_number, slot_rules rules, duration interval)
        : url(url_number), slots(world, rules), health(interval) {}

    int url;
    simulated_slots slots;
    services::server_health health;
    int conversations = 0;
    int generating = 0;
    std::optional<time_point> ends{};
    bool in_list = true;
};

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
    const std::map<std::string, int>& happened() const noexcept { return world_.happened(); }

    // What conversations need of it.

    simulated_world& world() noexcept { return world_; }
    std::uint64_t next_id() noexcept { return ++last_id_; }
    int lease() const noexcept { return lease_; }
    /// Where the next turn runs; nothing if no server may serve.
    service_server* place(service_server* pinned);
    bool server_failed(service_server* server, const error_code& why);
    void turn_began(service_server* server);
    void turn_ended(service_server* server);
    void conversation_ended(const simulated_conversation& who, service_server* pinned);
    /// What is counted for each server is what there is.
    void check_counts();

 private:
    void add_server(int url);
    void remove_server(service_server& s, duration limit);
    void drop_drained();
    void end_overdue(service_server& s);
    void server_dies(service_server& s);
    void something_happens();
    std::optional<time_point> next_event() const;
    void arm_timer();
    void timer_expired();
    void ask_health(service_server& s);
    void check_nothing_left();

    simulated_world world_;
    slot_rules rules_;
    int lease_;
    duration health_interval_;
    services::server_choice choice_;
    std::uint64_t last_id_ = 0;
    std::vector<std::unique_ptr<service_server>> servers_;  // also those that are gone
    std::vector<service_server*> list_;
    std::vector<std::unique_ptr<simulated_conversation>> conversations_;
    std::size_t to_come_;
    std::size_t open_ = 0;  // conversations
    std::optional<time_point> timer_;
};

}  // namespace tandem::test
