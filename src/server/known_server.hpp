#pragma once

#include "tandem/duration.hpp"
#include "tandem/error.hpp"
#include "tandem/log.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::detail {

/// One line for the log.
struct log_line {
    log_level level;
    std::string text;
};

/// What a client knows of its server, and when it has to ask again: a server that went away may
/// come back with fewer slots, and would wrap the numbers of the missing ones silently. Pure.
class known_server {
 public:
    /// No guard: as the server's build allows.
    known_server(int slots_wanted, std::optional<duration> reuse_guard)
        : slots_wanted_(slots_wanted), guard_wanted_(reuse_guard) {}

    /// Other wishes of the caller.
    void want(int slots, std::optional<duration> reuse_guard) {
        slots_wanted_ = slots;
        guard_wanted_ = reuse_guard;
    }

    /// Nothing where /props is to be asked.
    const std::optional<server_props>& props() const noexcept { return props_; }
    /// It has answered before.
    bool was_met() const noexcept { return told_.has_value(); }
    /// The shortest time between two uses of a slot.
    duration reuse_guard() const;
    /// Which setting would spare a wait of that length for the guard. Empty where it is short, and
    /// if it was reported before.
    std::string tell_of_wait(duration waited);
    /// The answer of /props. Returns the lines to log: none for what was logged before.
    std::vector<log_line> learn(const server_props& props);
    /// A request failed. What was known is forgotten if it may be another server now.
    void request_failed(const error_code& ec);
    /// A request for `asked` ran on another slot, so the server has other ones than was known.
    std::vector<log_line> ran_on_another_slot(int asked, int used);

 private:
    int slots_wanted_;
    std::optional<duration> guard_wanted_;
    std::optional<server_props> props_;
    std::optional<server_props> told_;  // in the log
    bool has_told_of_wait_ = false;
};

}  // namespace tandem::detail
