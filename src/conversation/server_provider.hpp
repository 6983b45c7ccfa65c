#pragma once

#include "base/failure.hpp"
#include "slots/slot_scheduler.hpp"

#include <memory>
#include <span>
#include <variant>

namespace tandem::detail {

class server_link;

/// A conversation's requirements for its next server.
struct server_criteria {
    using server_link_ptr = std::shared_ptr<server_link>;

    /// The server to which the conversation is pinned.
    server_link_ptr pinned{};
    /// Prefer another server to the pinned one.
    bool prefer_other = false;
    /// Servers that must not be used.
    std::span<const server_link_ptr> excluded{};
    /// Whether a turn's request follows. If the server's circuit is open, this request may be its
    /// trial; other work, for which nobody waits, may not.
    bool is_for_turn = true;
    /// A failure reports a wrong key or setup only if every server was tried after this time.
    time_point turn_began = time_point::min();
};

/// What conversations need from the service. Called on the strand.
class server_provider {
 public:
    using server_link_ptr = std::shared_ptr<server_link>;

    /// Pins the conversation to the server for its next request: the current server while that
    /// server is up, otherwise another one. Returns the server or, if there is none, the reason.
    virtual std::variant<server_link_ptr, failure> assign_server(
        const server_criteria& criteria) = 0;
    /// A request to the server failed. Returns true if the server is gone or not ready, so that no
    /// turn may start there.
    virtual bool on_server_failed(const server_link_ptr& link, const failure& why) = 0;
    /// Whether each server was tried after `since`, but none has ever been reached. The setup is
    /// then wrong, and waiting does not help.
    virtual bool no_server_ever_reached(time_point since) const = 0;
    /// Whether there are servers, but all are drained.
    virtual bool are_all_drained() const = 0;
    /// Servers are checked from now on, until on_reply_ended().
    virtual void on_reply_started() = 0;
    virtual void on_reply_ended() = 0;
    virtual void on_turn_started(const server_link_ptr& link) = 0;
    virtual void on_turn_ended(const server_link_ptr& link) = 0;
    virtual void on_conversation_ended(slots::owner_id conversation,
                                       const server_link_ptr& pinned) = 0;

 protected:
    ~server_provider() = default;
};

}  // namespace tandem::detail
