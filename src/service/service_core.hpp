#pragma once

#include "conversation/conversation_host.hpp"
#include "reply/client_core.hpp"
#include "reply/event_home.hpp"
#include "service/server_choice.hpp"
#include "service/server_health.hpp"

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

    void conversation_began(slots::owner_id id, std::weak_ptr<conversation_shell> shell);

    void add_server(const std::string& url);
    void remove_server(std::string_view url, duration limit);
    void reload(const std::vector<std::string>& urls);
    std::vector<server_status> status() const;

    std::variant<core_ptr, failure> place(const core_ptr& pinned, bool elsewhere) override;
    bool server_failed(const core_ptr& core, const failure& why) override;
    void turn_began(const core_ptr& core) override;
    void turn_ended(const core_ptr& core) override;
    void conversation_ended(slots::owner_id conversation, const core_ptr& pinned) override;
    int lease(const client_core& core) const override;

    void home_closed() override;
    void context_ended() noexcept override;

 private:
    struct server {
        std::string url;
        core_ptr core;
        services::server_health health;
        int conversations = 0;
        int generating = 0;
        /// Being removed: when what still runs is ended.
        std::optional<time_point> ends{};
    };
    using server_list = std::vector<std::unique_ptr<server>>;

    service_core(std::shared_ptr<event_home> home, service_config c);

    bool may_serve(const server& s) const;
    std::optional<std::size_t> choose(const server* left_out);
    server* find(const core_ptr& core);
    server* find(std::string_view url);
    failure why_none() const;
    void drop_drained();
    void end_overdue(server& s);

    // Health.
    bool is_watching() const noexcept { return !conversations_.empty(); }
    std::optional<time_point> next_event() const;
    void arm_timer();
    void timer_expired();
    void check(server& s);
    void tell_state(const server& s) const;

    std::shared_ptr<event_home> home_;
    service_config config_;
    server_list servers_;
    services::server_choice choice_;
    std::map<slots::owner_id, std::weak_ptr<conversation_shell>> conversations_;
    // Empty once the execution context is gone.
    std::optional<boost::asio::steady_timer> timer_;
};

}  // namespace tandem::detail
