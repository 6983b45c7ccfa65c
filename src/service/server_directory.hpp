#pragma once

#include "base/time.hpp"
#include "server/server_usage.hpp"
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

/// The servers of a service: the list, and the observed state of each server. Used on the service's
/// strand, except for the constructor.
class server_directory {
 public:
    using server_id = services::server_id;

    /// Starts with the configured servers.
    server_directory(const service_config& c, slot_scope scope);

    services::server_list& list() noexcept { return list_; }
    const services::server_list& list() const noexcept { return list_; }
    const std::shared_ptr<server_usage>& get_usage(server_id id) const { return uses_.at(id); }

    /// Records the list's count of conversations for the other processes that use the server.
    void record_conversations(server_id id);

    /// Has no effect if the server is present; cancels a pending removal.
    void add(const service_config& c, const std::string& url);
    /// Returns the number of replies on the server; nullopt if the server is not present.
    std::optional<int> remove(time_point now, std::string_view url, duration limit);
    /// The servers of the list that are not in `urls`.
    std::vector<std::string> find_unlisted_servers(const std::vector<std::string>& urls) const;
    /// See server_list.
    std::vector<server_id> drop_idle_removed_servers();

    /// The states of the servers at this time, for the list.
    services::server_state_query states(time_point now) const;
    std::vector<server_status> status(time_point now) const;

 private:
    services::server_state state_of(const services::listed_server& s, time_point now) const;

    services::server_list list_;
    slot_scope scope_;
    /// Has an entry for each server of the list.
    std::map<server_id, std::shared_ptr<server_usage>> uses_;
};

}  // namespace tandem::detail
