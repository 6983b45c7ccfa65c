#pragma once

#include "config/config_defaults.hpp"
#include "loop/synchronized.hpp"
#include "server/server_props_cache.hpp"
#include "slots/slot_release_monitor.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/config.hpp"
#include "tandem/instruments.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tandem::detail {

class slot_manager;

/// State of an owner whose text other owners must not see. Kept until the owner's last slot is
/// erased.
enum class owner_presence { is_here, has_left };

/// The slots of one server, shared by all users in this process. Each slot_manager is a user with
/// its own strand. Pure, except that work may be posted to the managers under the lock.
struct slot_table {
    /// Applies the settings of a joining user to all users. Defaults apply to settings that no user
    /// has set; the defaults of a service, which uses all slots, take precedence. Returns a warning
    /// for the log if another user has set a different value.
    std::optional<log_line> apply_settings(const config& c, const slot_defaults& new_defaults);

    /// Clients and services; a service has no manager before its first request.
    int users = 0;
    /// Conversations of this process that are assigned to the server.
    int conversations = 0;
    slot_defaults defaults{};
    std::optional<int> slots_set{};
    std::optional<duration> guard_set{};
    server_props_cache known{0, std::nullopt};
    /// Maximum number of slots to use, regardless of the server's number.
    int max_slots = 0;
    slots::slot_scheduler scheduler{1, {}};
    int queue_limit = 0;
    /// Empty if cuts are not verified, or if the server lacks /slots.
    std::optional<slots::slot_release_monitor> release_monitor{};
    /// The manager that is polling the server; null if none.
    const slot_manager* poller = nullptr;
    time_point last_use{};
    /// When the last request of this process ended on each slot.
    std::map<int, time_point> last_ends{};
    bool foreign_use_logged = false;
    std::map<slots::owner_id, owner_presence> isolated{};
    /// Slots that could not be erased, so that their requests must not reuse the slots' text.
    std::set<int> foreign{};
    bool erase_warned = false;
    /// The registered managers, and when each wakes up for its requests.
    std::map<slot_manager*, std::optional<time_point>> managers{};
    struct request_owner {
        slot_manager* manager;
        slots::owner_id owner;
    };
    std::map<slots::ticket, request_owner> requests_by_ticket{};
    std::map<int, slot_manager*> managers_by_slot{};
    /// The managers of the owners that may currently use slots.
    std::map<slots::owner_id, slot_manager*> owners{};
    /// Whom to notify when the server is done with a slot after a cut.
    struct idle_waiter {
        slot_manager* manager;
        std::function<void(duration since_cut)> on_idle;
    };
    std::map<int, idle_waiter> when_idle{};
    /// Called on a manager's strand after each change of the slots or their queue. Empty if other
    /// processes do not share the slots.
    std::function<void()> on_change{};

    /// Drops the settings made by users that have left.
    void forget_settings();
    /// False after the last user has left and the guard of its slots has expired.
    bool is_needed(time_point at) const;
    bool is_used_by(int slot, const slot_manager& manager) const;
    /// Whether the server may still see a request on the slot at this time, from this process or
    /// from another one that shares the slots.
    bool may_be_used(int slot, time_point at) const;
    /// Whether the granted slot must be erased first, because `owner` or the previous owner is
    /// isolated.
    bool must_be_erased(const slots::grant& g, slots::owner_id owner) const;
    /// Applies the guard and the number of slots that are known of the server.
    void apply_server_limits();
    /// Applies the results of a poll after cuts.
    void apply_release_reports(const std::vector<slots::release_report>& news);
    /// Forgets an isolated owner once the owner has left and its text is erased.
    void forget_gone_owner(slots::owner_id owner);
    /// When to poll next to verify cuts.
    std::optional<time_point> next_poll_at() const;
    /// A slot that the running poll reports as busy although no request of this process has run
    /// there for a while. Reported only once.
    std::optional<int> find_foreign_use(const std::vector<slot_state>& states);
};

using shared_slot_table = std::shared_ptr<synchronized<slot_table>>;

/// Which users share the slots of a server.
enum class slot_scope {
    process,  ///< all clients and services of this process
    own,      ///< only the client or service that plays a recording
};
slot_scope choose_slot_scope(const instruments& i) noexcept;

/// Joins the users of a server's slots. All clients and services of this process share the slots,
/// and the state of the slots outlives the last user by the length of the guard. A played recording
/// has its own slots. Stores a warning for the log in `warning`, if there is one.
shared_slot_table join_server_slots(const config& c, const slot_defaults& new_defaults,
                                    slot_scope scope, std::optional<log_line>& warning);

}  // namespace tandem::detail
