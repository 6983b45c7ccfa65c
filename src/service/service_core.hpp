#pragma once

#include "conversation/conversation_host.hpp"
#include "reply/client_core.hpp"
#include "reply/event_home.hpp"
#include "service/server_list.hpp"

#include "tandem/service.hpp"

#include <boost/asio/steady_timer.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::detail {

class conversation_shell;

/// The servers of a service, and the conversations on them. All functions but make(), home() and
/// config() run on the home's strand.
class service_core final : public std::enable_shared_from_this<service_core>,
                           public conversation_host,
                           public home_tenant {
 public:
    static std::shared_ptr<service_core> make(const boost::asio::any_io_executor& executor,
                                              service_config c);

    event_home& home() const noexcept { return *home_; }
    const service_config& config() const noexcept { return config_; }

    /// At the server `near` if that is a good place; empty: wherever there is one.
    void conversation_began(const std::shared_ptr<conversation_shell>& shell,
                            std::string_view near);

    void add_server(const std::string& url);
    void remove_server(std::string_view url, duration limit);
    void reload(const std::vector<std::string>& urls);
    std::vector<server_status> status() const;

    std::variant<core_ptr, failure> place(const server_wish& wish) override;
    bool server_failed(const core_ptr& core, const failure& why) override;
    void turn_began(const core_ptr& core) override;
    void turn_ended(const core_ptr& core) override;
    void conversation_ended(slots::owner_id conversation, const core_ptr& pinned) override;
    int lease(const client_core& core) const override;

    void home_closed() override;
    void context_ended() noexcept override;

 private:
    using server_id = services::server_id;
    using listed_server = services::listed_server;

    service_core(std::shared_ptr<event_home> home, service_config c);

    server_id id_of(const core_ptr& core) const;
    services::server_state state_of(const listed_server& s) const;
    failure why_none() const;
    void take_in(const std::string& url);
    void drop_drained();
    void end_overdue(server_id id);
    void leave_all(core_ptr core, const reason_to_leave& reason);
    void tell_to_leave(const services::listed_server& s, time_point asked);
    std::vector<std::shared_ptr<conversation_shell>> conversations_at(const core_ptr& core) const;

    // Health.
    bool is_watching() const noexcept { return config_.watch_always || !conversations_.empty(); }
    void arm_timer();
    void timer_expired();
    void check(server_id id);
    void checked(server_id id, time_point when, const error_code& ec, const diagnostics& diag);
    void tell_state(const listed_server& s) const;

    std::shared_ptr<event_home> home_;
    service_config config_;
    services::server_list list_;
    std::map<server_id, core_ptr> cores_;  // of the list
    std::map<slots::owner_id, std::weak_ptr<conversation_shell>> conversations_;
    // Empty once the execution context is gone.
    std::optional<boost::asio::steady_timer> timer_;
};

}  // namespace tandem::detail
