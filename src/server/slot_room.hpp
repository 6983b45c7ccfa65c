#pragma once

#include "config/usual_values.hpp"
#include "loop/guarded.hpp"
#include "server/known_server.hpp"
#include "slots/release_watch.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/config.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace tandem::detail {

class slot_keeper;

/// Of an owner whose text others must not see. It is known until its last slot is empty.
enum class stay { is_here, has_left };

/// The slots of one server as all in this process know them who use it: a slot_keeper is a user,
/// each on a strand of its own. Pure, except the keepers that it names, to which a message may be
/// posted under the lock.
struct slot_room {
    /// Applies what a user that joins has set, for all users from now on. Defaults apply to what
    /// nobody has set; those of a service, which uses all slots, win. Returns a warning for the log
    /// if another user has set another value.
    std::optional<log_line> follow(const config& c, const slot_defaults& usual);

    /// Clients and services; a service has no keeper before its first request.
    int users = 0;
    slot_defaults defaults{};
    std::optional<int> slots_set{};
    std::optional<duration> guard_set{};
    known_server known{0, std::nullopt};
    /// Slots that may be used, however many the server has.
    int most = 0;
    slots::slot_scheduler scheduler{1, {}};
    int queue_limit = 0;
    /// Empty unless cuts are verified, and once the server lacks /slots.
    std::optional<slots::release_watch> watch{};
    /// Who asks the server about cuts now; null if nobody does.
    const slot_keeper* looker = nullptr;
    time_point last_use{};
    /// By slot: when a request of ours ended there.
    std::map<int, time_point> last_ends{};
    bool told_of_stranger = false;
    std::map<slots::owner_id, stay> isolated{};
    /// Slots with text that their requests must not continue from, and that could not be erased.
    std::set<int> foreign{};
    bool erase_warned = false;
    /// The users, and when each wakes up to look after its wishes.
    std::map<slot_keeper*, std::optional<time_point>> keepers{};
    /// Whose wish it is, and who has the slot.
    struct wish_of {
        slot_keeper* keeper;
        slots::owner_id owner;
    };
    std::map<slots::ticket, wish_of> wishes{};
    std::map<int, slot_keeper*> uses{};
    /// Where the owners are that may have slots for themselves now.
    std::map<slots::owner_id, slot_keeper*> owners{};
    /// By slot: whom to notify when the server is done with it after a cut.
    struct waits_for_idle {
        slot_keeper* keeper;
        std::function<void(duration since_cut)> told;
    };
    std::map<int, waits_for_idle> when_idle{};

    /// Drops the settings of users that have left.
    void forget_settings();
    /// False once the last user has left and the guard of its slots is over.
    bool is_needed(time_point at) const;
    bool is_used_by(int slot, const slot_keeper& keeper) const;
    /// A request of ours may be there, as the server sees it at this time.
    bool may_be_used(int slot, time_point at) const;
    /// What the slot holds is not for the owner that it was granted to, or that owner's not for
    /// others.
    bool must_be_erased(const slots::grant& g, slots::owner_id owner) const;
    /// The guard and the slots are those of the server that is known.
    void follow_server();
    /// What was found out about cuts.
    void take_news(const std::vector<slots::release_news>& news);
    /// An isolated owner that has left is known no longer than its text.
    void forget_if_gone(slots::owner_id owner);
    /// When to ask about cuts next.
    std::optional<time_point> next_look() const;
    /// A slot on which the server works, as it answers the look that is under way, though nobody
    /// here has had a request there for a while. Told once.
    std::optional<int> find_stranger(const std::vector<slot_state>& states);
};

using shared_slots = std::shared_ptr<guarded<slot_room>>;

/// Joins the users of a server's slots. All clients and services of this process share them, and
/// they outlive the last user by the guard. A recording that is played has slots of its own.
/// Stores a warning for the log in `remark`, if any.
shared_slots join_server_slots(const config& c, const slot_defaults& usual,
                               std::optional<log_line>& remark);

}  // namespace tandem::detail
