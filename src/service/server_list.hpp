#pragma once

#include "base/time.hpp"
#include "server/server_leave_reason.hpp"
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

/// Identifies a server from add() until it is dropped.
using server_id = std::uint64_t;
inline constexpr server_id no_server = 0;

struct listed_server {
    server_id id;
    std::string url;
    /// Equal for all spellings of the URL.
    std::string identity;
    server_health health;
    /// Number of conversations pinned to the server, and how many of them are generating.
    int conversations = 0;
    int generating = 0;
    /// Set while the server is being removed: when running replies must leave.
    std::optional<time_point> removal_deadline{};
    /// The server is listed, but gets no turns.
    bool is_drained = false;
    bool is_eviction_reported = false;
};

/// The state of a server that is recorded outside the list.
struct server_state {
    /// Its circuit is closed or ready for a trial request.
    bool takes_requests = true;
    /// Number of usable slots; 0 if not yet known.
    int slots = 0;
    /// Whether other processes use the server, the number of their conversations, and the number of
    /// requests that they run.
    bool is_shared = false;
    double conversations_elsewhere = 0;
    double running_elsewhere = 0;
};
using server_state_query = std::function<server_state(const listed_server&)>;

/// A conversation's requirements for its next server.
struct server_criteria {
    server_id pinned = no_server;
    /// Prefer another server to the pinned one.
    bool prefer_other = false;
    /// Servers that must not be used.
    std::span<const server_id> excluded{};
};

using leave_kind = detail::server_leave_reason::kind;

/// The servers of a service, with their counters and due events. Decides which server a
/// conversation gets. Pure.
class server_list {
 public:
    server_list(placement rule, duration health_interval, std::uint64_t seed = 0)
        : choice_(rule, seed), health_interval_(health_interval) {}

    /// Returns the new server's id; no_server if the server is present, in which case a pending
    /// removal is cancelled.
    server_id add(std::string_view url);
    /// Stops assigning turns to the server; running replies must leave after `limit`, at most a
    /// day. Returns null if the server is not present.
    const listed_server* remove(time_point now, std::string_view url, duration limit);
    /// Stops or resumes assigning turns to the server. Returns null if the server is not present,
    /// or if nothing changes.
    const listed_server* set_drained(std::string_view url, bool is_drained);
    /// Drops removed servers on which no reply is generating, and returns them.
    std::vector<server_id> drop_idle_removed_servers();
    /// Removed servers whose time limit has passed. Each is returned once, so that its replies can
    /// leave.
    std::vector<server_id> take_expired_removals(time_point now);
    /// Servers whose health must be checked now. Call record_check_result() for each afterwards.
    std::vector<server_id> take_due_checks(time_point now);
    /// When take_expired_removals() or, if `is_watching`, take_due_checks() next returns something.
    std::optional<time_point> next_event(bool is_watching) const;

    /// Pins a conversation to the server for its next request: its current server as long as that
    /// server may serve, otherwise another one, or as a last resort a hanging server, which may
    /// only be busy. Returns null if there is none. If no server may serve, the servers that are
    /// away are checked soon.
    listed_server* assign_server(const server_criteria& criteria, const server_state_query& ask);
    /// Pins a new conversation to this server, whose slots may still hold the conversation's text.
    /// Returns null if the server may not serve, or if all its slots are busy while another server
    /// has free ones.
    listed_server* pin_if_suitable(std::string_view url, const server_state_query& ask);
    /// Why the conversations pinned to a server should leave it; nullopt if they should stay. A
    /// hanging server may only be busy, so it is left only if another server may serve.
    std::optional<leave_kind> leave_reason(server_id id, const server_state_query& ask) const;
    /// The conversation pinned to the server has ended.
    void unpin(server_id pinned);
    void on_turn_started(server_id at);
    /// Returns true if drop_idle_removed_servers() may have something to drop.
    bool on_turn_ended(server_id at);

    listed_server* find(server_id id);
    listed_server* find(std::string_view url);
    const std::vector<listed_server>& all() const noexcept { return servers_; }

 private:
    using health_rule = bool (server_health::*)() const noexcept;
    static bool may_serve(const listed_server& s, const server_criteria& criteria,
                          const server_state_query& ask, health_rule is_usable);
    listed_server* choose(const server_criteria& criteria, const server_state_query& ask,
                          health_rule is_usable);
    listed_server* choose_other(const server_criteria& criteria, const server_state_query& ask,
                                health_rule is_usable);

    server_choice choice_;
    duration health_interval_;
    server_id last_id_ = no_server;
    std::vector<listed_server> servers_;
};

}  // namespace tandem::services
