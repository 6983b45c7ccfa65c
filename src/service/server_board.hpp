#pragma once

#include "base/failure.hpp"
#include "base/time.hpp"
#include "server/server_use.hpp"
#include "service/server_list.hpp"

#include "tandem/config.hpp"
#include "tandem/service_config.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::detail {

/// The servers of a service: the list, and what each has shown of itself. On the service's strand,
/// except the constructor.
class server_board {
 public:
    using server_id = services::server_id;

    /// With the servers that are configured.
    explicit server_board(const service_config& c);

    services::server_list& list() noexcept { return list_; }
    const std::shared_ptr<server_use>& use_of(server_id id) const { return uses_.at(id); }

    /// Does nothing if it is there; a removal is taken back.
    void add(const service_config& c, const std::string& url);
    /// Gives how many replies it has; nothing if it is not there.
    std::optional<int> remove(time_point now, std::string_view url, duration limit);
    /// Those of the list that are not in `urls`.
    std::vector<std::string> find_others(const std::vector<std::string>& urls) const;
    /// See server_list.
    std::vector<server_id> drop_drained();

    /// For the list, at this time.
    services::ask_server states(time_point now) const;
    std::vector<server_status> status(time_point now) const;
    /// Why no server is there for a turn.
    failure why_none(time_point now) const;
    /// Connections were tried, and no server has ever been reached: the set-up is wrong.
    bool was_none_reached() const;

 private:
    services::server_state state_of(const services::listed_server& s, time_point now) const;

    services::server_list list_;
    /// Of the list.
    std::map<server_id, std::shared_ptr<server_use>> uses_;
};

}  // namespace tandem::detail
