#pragma once

#include "base/time.hpp"
#include "service/server_choice.hpp"
#include "service/server_health.hpp"

#include <cstdint>
#include <functional>
#include <optional>
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

/// What only its requests tell of a server.
struct server_state {
    /// Its circuit is closed, or may be tried.
    bool takes_requests = true;
    /// Slots that are used; 0 if that is not known yet.
    int slots = 0;
};
using ask_server = std::function<server_state(const listed_server&)>;

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
    /// Drops removed servers on which nothing generates, and tells which.
    std::vector<server_id> drop_drained();
    /// Removed servers whose limit is over, each told once for the replies that it has then.
    std::vector<server_id> take_overdue(time_point now);
    /// Servers to be asked for their health now; answered() must follow for each.
    std::vector<server_id> take_due_checks(time_point now);
    /// When take_overdue() or, if `is_watching`, take_due_checks() has something next.
    std::optional<time_point> next_event(bool is_watching) const;

    /// Where a conversation's next request goes, which is pinned to that server then: where it is
    /// pinned, as long as that may serve, else another one. `elsewhere`: another one goes before
    /// it. Nothing if none may serve.
    listed_server* place(server_id pinned, bool elsewhere, const ask_server& ask);
    /// Its conversation has ended.
    void unpin(server_id pinned);
    void turn_began(server_id at);
    /// True if drop_drained() may have something to drop.
    bool turn_ended(server_id at);

    listed_server* find(server_id id);
    listed_server* find(std::string_view url);
    const std::vector<listed_server>& all() const noexcept { return servers_; }

 private:
    static bool may_serve(const listed_server& s, const ask_server& ask);
    listed_server* choose(server_id left_out, const ask_server& ask);

    server_choice choice_;
    duration health_interval_;
    server_id last_id_ = no_server;
    std::vector<listed_server> servers_;
};

}  // namespace tandem::services
