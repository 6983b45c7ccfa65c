#pragma once

#include "conversation/conversation_host.hpp"
#include "loop/clock.hpp"
#include "loop/event_home.hpp"
#include "server/client_core.hpp"
#include "service/server_board.hpp"
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

/// The conversations of a service, its servers, and its connections to them. All functions but
/// make(), home() and config() run on the home's strand.
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
    std::vector<server_status> status() const { return board_.status(now()); }

    std::variant<core_ptr, failure> place(const server_wish& wish) override;
    bool server_failed(const core_ptr& core, const failure& why) override;
    bool was_none_reached() const override { return board_.was_none_reached(); }
    void reply_began() override;
    void reply_ended() override;
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
    core_ptr core_of(const listed_server& s);
    void drop_drained();
    void drop(server_id id);
    void end_overdue(server_id id);
    void leave_all(server_id id, const reason_to_leave& reason);
    void leave_all(core_ptr core, const reason_to_leave& reason);
    std::vector<std::shared_ptr<conversation_shell>> conversations_at(const core_ptr& core) const;

    listed_server* find_place(const server_wish& wish);
    core_ptr pin_near(std::string_view url);

    // Health.
    // Between replies nothing may keep the event loop busy.
    bool is_watching() const noexcept { return config_.watch_always || running_replies_ > 0; }
    void arm_timer();
    void timer_expired();
    void check_due_servers();
    void check(const listed_server& s);
    void checked(server_id id, time_point when, const error_code& ec, const diagnostics& diag);
    void tell_to_leave(server_id id, time_point asked);
    void log_state(const listed_server& s) const;

    std::shared_ptr<event_home> home_;
    service_config config_;
    server_board board_;
    std::map<server_id, core_ptr> cores_;  // of servers that were used
    std::map<slots::owner_id, std::weak_ptr<conversation_shell>> conversations_;
    int running_replies_ = 0;
    // Empty once the execution context is gone.
    std::optional<boost::asio::steady_timer> timer_;
};

}  // namespace tandem::detail
