#pragma once

#include "base/time.hpp"
#include "server/reason_to_leave.hpp"
#include "service/server_choice.hpp"
#include "service/server_health.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::services {

/// Names a server from add() until it is dropped.
using server_id = std::uint64_t;
inline constexpr server_id no_server = 0;

/// A server of a list.
struct listed_server {
    server_id id;
    std::string url;
    server_health health;
    /// Conversations that are pinned to it, and those of them that generate.
    int conversations = 0;
    int generating = 0;
    /// Being removed: when what still runs must leave.
    std::optional<time_point> ends{};
    bool told_to_leave = false;
};

/// What only requests reveal of a server.
struct server_state {
    /// Its circuit is closed, or may be tried.
    bool takes_requests = true;
    /// Slots that are used; 0 if that is not known yet.
    int slots = 0;
};
using ask_server = std::function<server_state(const listed_server&)>;

/// What a conversation wants of its next server.
struct server_wish {
    server_id pinned = no_server;
    /// Another one goes before it.
    bool elsewhere = false;
    /// None of these.
    std::span<const server_id> without{};
};

using leave_kind = detail::reason_to_leave::kind;

/// The servers of a service: which there are, which of them a conversation gets, what is counted of
/// them, and when something is due. Pure.
class server_list {
 public:
    server_list(placement rule, duration health_interval)
        : choice_(rule), health_interval_(health_interval) {}

    /// The new server's id; no_server if it is there, which takes a removal back.
    server_id add(std::string_view url);
    /// It gets no turns any more, and what runs there must leave after `limit`, which is bounded to
    /// a day. Nothing if it is not there.
    const listed_server* remove(time_point now, std::string_view url, duration limit);
    /// Drops removed servers on which nothing generates, and returns them.
    std::vector<server_id> drop_drained();
    /// Removed servers whose limit is over, each returned once for its replies.
    std::vector<server_id> take_overdue(time_point now);
    /// Servers to be asked for their health now; answered() must follow for each.
    std::vector<server_id> take_due_checks(time_point now);
    /// When take_overdue() or, if `is_watching`, take_due_checks() has something next.
    std::optional<time_point> next_event(bool is_watching) const;

    /// Where a conversation's next request goes, which is pinned to that server then: where it is
    /// pinned, as long as that may serve, else another one; else one that hangs, as it may be busy
    /// only. Nothing if there is none. Where none may serve, those that are away are asked for
    /// their health soon.
    listed_server* place(const server_wish& wish, const ask_server& ask);
    /// A new conversation is pinned there, as its text may be in a slot still: nothing if that may
    /// not serve, or all its slots are busy while another one has some free.
    listed_server* pin_near(std::string_view url, const ask_server& ask);
    /// Why those that are pinned to a server should leave it; nothing if they should stay. One that
    /// hangs may be busy only: it is left where another one may serve.
    std::optional<leave_kind> why_leave(server_id id, const ask_server& ask) const;
    /// Its conversation has ended.
    void unpin(server_id pinned);
    void turn_began(server_id at);
    /// True if drop_drained() may have something to drop.
    bool turn_ended(server_id at);

    listed_server* find(server_id id);
    listed_server* find(std::string_view url);
    const std::vector<listed_server>& all() const noexcept { return servers_; }

 private:
    using health_rule = bool (server_health::*)() const noexcept;
    static bool may_serve(const listed_server& s, const server_wish& wish, const ask_server& ask,
                          health_rule is_well);
    listed_server* choose(const server_wish& wish, const ask_server& ask, health_rule is_well);
    listed_server* choose_another(const server_wish& wish, const ask_server& ask,
                                  health_rule is_well);

    server_choice choice_;
    duration health_interval_;
    server_id last_id_ = no_server;
    std::vector<listed_server> servers_;
};

}  // namespace tandem::services
