#pragma once

#include "reply/circuit_breaker.hpp"
#include "reply/guarded.hpp"
#include "slots/release_watch.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/config.hpp"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

namespace tandem::detail {

class slot_keeper;

/// Of an owner whose text others must not see. It is known until its last slot is empty.
enum class stay { is_here, has_left };

/// The slots of one server as all know them who use it, each on a loop of its own: a slot_keeper is
/// a user. Pure, but for the keepers that it names, to which a message may be posted under the
/// lock.
struct slot_room {
    explicit slot_room(const config& c);

    slots::slot_scheduler scheduler;
    /// Empty unless cuts are verified, and once the server cannot tell.
    std::optional<slots::release_watch> watch{};
    /// Who asks the server about cuts now; null if nobody does.
    const slot_keeper* looker = nullptr;
    time_point last_use{};
    std::map<slots::owner_id, stay> isolated{};
    /// Slots with text that their requests must not go on from, and that could not be erased.
    std::set<int> foreign{};
    bool erase_warned = false;
    /// The server has told how many it has.
    bool is_known = false;

    /// The users, and when each wakes up to look after its wishes.
    std::map<slot_keeper*, std::optional<time_point>> keepers{};
    /// Whose wish it is, and who has the slot.
    std::map<slots::ticket, slot_keeper*> wishes{};
    std::map<int, slot_keeper*> uses{};
    /// Where the owners are that may have slots for themselves now.
    std::map<slots::owner_id, slot_keeper*> owners{};
    /// By slot: who is told when the server is done with it after a cut.
    struct waits_for_idle {
        slot_keeper* keeper;
        std::function<void(duration since_cut)> told;
    };
    std::map<int, waits_for_idle> when_idle{};

    /// An isolated owner that has left is known no longer than its text.
    void forget_if_gone(slots::owner_id owner);
    /// When to ask about cuts next.
    std::optional<time_point> next_look() const;
};

using shared_slots = std::shared_ptr<guarded<slot_room>>;

/// A circuit_breaker for several loops.
class shared_circuit {
 public:
    shared_circuit(int failures, duration pause) : circuit_(failures, pause) {}

    auto lock() { return circuit_.lock(); }
    /// As circuit_breaker::failed(); gives the circuit if that opened it.
    std::optional<circuit_breaker> failed(time_point now, time_point sent);
    /// As circuit_breaker::succeeded(); costs a token nothing where nothing has failed.
    bool succeeded();

 private:
    guarded<circuit_breaker> circuit_;
    std::atomic<bool> has_failed_{false};
};

/// What the loops that use one server share.
struct shared_server {
    explicit shared_server(const config& c)
        : slots(c), circuit(c.breaker_failures, c.breaker_pause) {}

    guarded<slot_room> slots;
    shared_circuit circuit;
};

inline shared_slots slots_of(const std::shared_ptr<shared_server>& s) {
    return {s, &s->slots};
}

}  // namespace tandem::detail
