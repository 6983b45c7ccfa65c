#pragma once

#include "conversation/server_provider.hpp"
#include "loop/clock.hpp"
#include "loop/strand_scope.hpp"
#include "server/server_link.hpp"
#include "service/server_directory.hpp"
#include "service/server_list.hpp"
#include "service/unavailable_reason.hpp"

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

/// The conversations of a service, its servers, and its connections to them. All functions except
/// make(), scope() and config() run on the scope's strand.
class service_core final : public std::enable_shared_from_this<service_core>,
                           public server_provider,
                           public shutdown_listener {
 public:
    static std::shared_ptr<service_core> make(const boost::asio::any_io_executor& executor,
                                              service_config c, instruments i);

    strand_scope& scope() const noexcept { return *scope_; }
    const service_config& config() const noexcept { return config_; }

    /// Pins the conversation to the server `near` if that is suitable; otherwise, its first turn
    /// chooses a server.
    void on_conversation_started(const std::shared_ptr<conversation_shell>& shell,
                                 std::string_view near);

    void add_server(const std::string& url);
    void remove_server(std::string_view url, duration limit);
    void reload(const std::vector<std::string>& urls);
    void set_drained(std::string_view url, bool is_drained);
    std::vector<server_status> status() const { return directory_.status(now()); }

    std::variant<server_link_ptr, failure> assign_server(const server_criteria& criteria) override;
    bool on_server_failed(const server_link_ptr& link, const failure& why) override;
    bool no_server_ever_reached(time_point since) const override {
        return services::no_server_ever_reached(directory_.list().all(), since);
    }
    bool are_all_drained() const override {
        return services::are_all_drained(directory_.list().all());
    }
    void on_reply_started() override;
    void on_reply_ended() override;
    void on_turn_started(const server_link_ptr& link) override;
    void on_turn_ended(const server_link_ptr& link) override;
    void on_conversation_ended(slots::owner_id conversation,
                               const server_link_ptr& pinned) override;

    void on_owner_destroyed() override;
    void on_context_destroyed() noexcept override;

 private:
    using server_id = services::server_id;
    using listed_server = services::listed_server;

    service_core(std::shared_ptr<strand_scope> scope, service_config c, instruments i);

    server_id find_server_id(const server_link_ptr& link) const;
    server_link_ptr get_or_make_link(const listed_server& s);
    void drop_idle_removed_servers();
    void drop_server(server_id id);
    void end_expired_removal(server_id id);
    void move_all_away(server_id id, const server_leave_reason& reason);
    void move_all_away(server_link_ptr link, const server_leave_reason& reason);
    std::vector<std::shared_ptr<conversation_shell>> conversations_at(
        const server_link_ptr& link) const;

    listed_server* select_server(const server_criteria& criteria);
    server_link_ptr pin_if_suitable(std::string_view url);

    // Health. Between replies, nothing may keep the event loop busy.
    bool is_watching() const noexcept { return config_.watch_always || running_replies_ > 0; }
    void arm_timer();
    void on_timer();
    void check_due_servers();
    void check(const listed_server& s);
    void on_check_result(server_id id, time_point when, const error_code& ec,
                         const diagnostics& diag);
    void evict_if_needed(server_id id, time_point asked);
    void log_state(const listed_server& s) const;

    std::shared_ptr<strand_scope> scope_;
    service_config config_;
    instruments instruments_;
    server_directory directory_;
    std::map<server_id, server_link_ptr> links_;  // of servers that were used
    std::map<slots::owner_id, std::weak_ptr<conversation_shell>> conversations_;
    int running_replies_ = 0;
    // Empty after the execution context is destroyed.
    std::optional<boost::asio::steady_timer> timer_;
};

}  // namespace tandem::detail
