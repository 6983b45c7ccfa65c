#pragma once

#include "reply/machine/reply_machine.hpp"
#include "reply/reply_start_point.hpp"
#include "simulation/simulated_server.hpp"
#include "simulation/simulated_world.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tandem::test {

class simulated_reply;
struct reply_plan;

/// Runs replies that share slots, in simulated time, with random texts, timings, faults and
/// consumers from one seed. Some interrupted replies continue as another reply. Checks invariants
/// at each step and records the broken invariants.
class simulation final : public detail::reply_listener {
 public:
    explicit simulation(std::uint64_t seed);
    ~simulation();
    /// Runs until no events are left. Returns the broken promises.
    std::vector<std::string> run();

    std::uint64_t steps() const noexcept { return world_.steps(); }
    std::uint64_t course() const noexcept { return world_.course(); }
    const std::map<std::string, int>& happened() const noexcept { return world_.happened(); }
    /// The transitions that the machines made.
    detail::reply_machine::transitions made() const;
    std::size_t replies() const noexcept { return replies_.size(); }

 private:
    void on_handed_over(const chunk&) override {}
    void on_continued(chunk_id) override {}
    void on_ended(std::uint64_t reply, const reply_result& result,
                  detail::reply_remainder rest) override;
    void add(reply_plan plan, detail::reply_origin origin);
    void resume(const simulated_reply& before, detail::reply_remainder rest);
    void server_is_taken_away();
    void server_dies();

    simulated_world world_;
    simulated_server core_;
    std::vector<std::unique_ptr<simulated_reply>> replies_;  // by id, starting at 1
};

}  // namespace tandem::test
