#pragma once

#include "base/failure.hpp"
#include "slots/slot_scheduler.hpp"

#include <memory>
#include <span>
#include <variant>

namespace tandem::detail {

class client_core;

/// What a conversation wants of its next server.
struct server_wish {
    using core_ptr = std::shared_ptr<client_core>;

    /// Where it is.
    core_ptr pinned{};
    /// Another one goes before it.
    bool elsewhere = false;
    /// None of these.
    std::span<const core_ptr> without{};
    /// A turn's request follows: where the circuit is open, that is the one that decides. What no
    /// one waits for leaves it to a turn.
    bool is_for_turn = true;
};

/// What a conversation needs of the service that it belongs to. On the strand.
class conversation_host {
 public:
    using core_ptr = std::shared_ptr<client_core>;

    /// The server of the next request: the one where the conversation is, as long as it is up; else
    /// another one, or why there is none. The conversation is pinned to it then.
    virtual std::variant<core_ptr, failure> place(const server_wish& wish) = 0;
    /// A request to the server failed. True if the server is gone, or not ready: no turn starts
    /// there now.
    virtual bool server_failed(const core_ptr& core, const failure& why) = 0;
    /// No server has ever been reached: the set-up is wrong, and waiting does not help.
    virtual bool was_none_reached() const = 0;
    /// The conversation needs a server from here on, ...
    virtual void reply_began() = 0;
    /// ... until here.
    virtual void reply_ended() = 0;
    virtual void turn_began(const core_ptr& core) = 0;
    virtual void turn_ended(const core_ptr& core) = 0;
    virtual void conversation_ended(slots::owner_id conversation, const core_ptr& pinned) = 0;
    /// Slots that a conversation has for itself there.
    virtual int lease(const client_core& core) const = 0;

 protected:
    ~conversation_host() = default;
};

}  // namespace tandem::detail
