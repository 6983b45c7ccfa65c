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

/// What is known about a server, until /props must be requested again. A server that went away may
/// come back with fewer slots; it silently uses another slot in place of a missing one. Pure.
class server_props_cache {
 public:
    /// If `reuse_guard` is empty, the server's build determines the guard.
    server_props_cache(int slots_wanted, std::optional<duration> reuse_guard)
        : slots_wanted_(slots_wanted), guard_wanted_(reuse_guard) {}

    /// Changes the caller's settings.
    void set_requested_values(int slots, std::optional<duration> reuse_guard) {
        slots_wanted_ = slots;
        guard_wanted_ = reuse_guard;
    }

    /// nullopt if /props must be requested.
    const std::optional<server_props>& props() const noexcept { return props_; }
    /// Whether the server has answered before.
    bool was_read_before() const noexcept { return logged_.has_value(); }
    /// The minimum time between two uses of a slot.
    duration reuse_guard() const;
    /// Returns advice on the setting that avoids waits for the guard; empty if `waited` is short,
    /// or if the advice was given before.
    std::string take_guard_advice(duration waited);
    /// Handles the answer of /props. Returns the lines to log, except those logged before.
    std::vector<log_line> store_props(const server_props& props);
    /// A request failed. Discards the known properties if the address may now belong to another
    /// server.
    void on_request_failed(const error_code& ec);
    /// A request for slot `asked` ran on slot `used`, so the server's slots differ from the known
    /// ones.
    std::vector<log_line> report_slot_mismatch(int asked, int used);

 private:
    int slots_wanted_;
    std::optional<duration> guard_wanted_;
    std::optional<server_props> props_;
    std::optional<server_props> logged_;  // the properties logged last
    bool has_logged_wait_ = false;
};

}  // namespace tandem::detail
