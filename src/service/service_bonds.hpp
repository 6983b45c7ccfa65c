#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "loop/event_home.hpp"
#include "loop/guarded.hpp"
#include "server/shared_server.hpp"
#include "service/server_list.hpp"

#include "tandem/config.hpp"
#include "tandem/service_config.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::detail {

class service_core;

/// A server as it was found on the board.
struct found_server {
    services::server_id id = services::no_server;
    std::string url{};
    std::shared_ptr<shared_server> shared{};
};

/// One that is to be asked for its health.
struct due_check {
    found_server server;
    bool needs_proof;
};

/// The servers of a service as all its loops know them.
struct server_board {
    explicit server_board(const service_config& c) : list(c.placement, c.health_interval) {}

    services::server_list list;
    /// Of the list.
    std::map<services::server_id, std::shared_ptr<shared_server>> shared{};

    found_server found(const services::listed_server& s) const {
        return {s.id, s.url, shared.at(s.id)};
    }
    services::server_state state_of(const services::listed_server& s, time_point now) const;
    /// For the list, as long as the board is locked.
    services::ask_server states(time_point now) const;
    std::vector<server_status> status(time_point now) const;
    /// Why no server is there for a turn.
    failure why_none(time_point now) const;
    /// Connections were tried, and no server has ever been reached: the set-up is wrong.
    bool was_none_reached() const;
};

/// What the loops of a service share. All functions may be called from any thread.
class service_bonds {
 public:
    using server_id = services::server_id;

    /// With the servers that are configured.
    explicit service_bonds(const service_config& c);

    /// Does nothing if it is there; a removal is taken back.
    void add(const service_config& c, const std::string& url);
    /// Gives how many replies it has; nothing if it is not there.
    std::optional<int> remove(time_point now, std::string_view url, duration limit);
    /// Those of the list that are not in `urls`.
    std::vector<std::string> not_among(const std::vector<std::string>& urls);
    /// See server_list.
    std::vector<server_id> drop_drained();
    struct overdue_server {
        server_id id;
        std::string url;
    };
    std::vector<overdue_server> take_overdue(time_point now);
    std::vector<due_check> take_due_checks(time_point now);

    guarded<server_board> board;
    const id_source ids = make_id_source();
    /// Those that are not closed.
    guarded<std::vector<std::weak_ptr<service_core>>> loops{};
};

}  // namespace tandem::detail
