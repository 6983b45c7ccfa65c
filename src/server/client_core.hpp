#pragma once

#include "base/failure.hpp"
#include "loop/event_home.hpp"
#include "server/known_server.hpp"
#include "server/server_calls.hpp"
#include "server/server_use.hpp"
#include "server/slot_keeper.hpp"
#include "transport/transport.hpp"
#include "wire/calls/completion_request.hpp"

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::detail {

/// What the replies of one client or service to one server share: the transport, the slots, and
/// what is known of the server. All functions run on the home's strand, except make() and
/// context_ended().
class client_core final : public std::enable_shared_from_this<client_core>, public home_tenant {
 public:
    using prepared = std::function<void(error_code, const diagnostics&, const server_props&)>;

    static std::shared_ptr<client_core> make(std::shared_ptr<event_home> home, config c,
                                             std::shared_ptr<server_use> use);
    static std::shared_ptr<client_core> make(std::shared_ptr<event_home> home, config c,
                                             const slot_defaults& usual);

    event_home& home() const noexcept { return *home_; }
    const boost::asio::any_io_executor& executor() const noexcept { return home_->executor(); }
    const tandem::config& config() const noexcept { return config_; }
    /// The server's, for messages: without a password.
    std::string shown_url() const;
    transport::http_transport& transport() noexcept { return *transport_; }
    server::server_calls& calls() noexcept { return *calls_; }
    slot_keeper& keeper() noexcept { return keeper_; }
    bool shut_down() const noexcept { return shut_down_; }
    /// This client or service has read the server's /props.
    bool has_met_server() const noexcept { return use_->has_met_server; }
    duration reuse_guard() const { return keeper_.reuse_guard(); }
    /// What its requests are to ask for, by its build.
    wire::prompt_report prompt_report() const;

    /// Asks for /props unless its answer is known already. A failure is not kept.
    void prepare(prepared done);
    /// Ends all calls with `ec`, and hands out no slots any more.
    void shut_down(error_code ec);

    void home_closed() override;
    void context_ended() noexcept override;
    bool is_server() const noexcept override { return true; }

    /// Why no request is sent there now, where its last ones failed. What is not refused must be
    /// sent.
    std::optional<failure> refuses(time_point now);

    // What requests reveal of the server; those to /completion say when they were sent.
    void request_failed(const error_code& ec);
    void completion_failed(const error_code& ec, time_point sent);
    /// A completion was answered with text, or the server was seen to have come back.
    void server_works();
    void ran_on_another_slot(int asked, int used);

    template <class... Args>
    void log(log_level level, fmt::format_string<Args...> text, Args&&... args) const {
        home_->log(level, text, std::forward<Args>(args)...);
    }

 private:
    client_core(std::shared_ptr<event_home> home, tandem::config c,
                std::shared_ptr<server_use> use);

    void props_arrived(error_code ec, const diagnostics& diag, const server_props& props);
    void warn_of_guard() const;
    void log_lines(const std::vector<log_line>& lines) const;

    std::shared_ptr<event_home> home_;
    tandem::config config_;
    std::unique_ptr<transport::http_transport> transport_;
    // Empty once the execution context is gone, as transport_ is.
    std::optional<server::server_calls> calls_;
    std::shared_ptr<server_use> use_;
    slot_keeper keeper_;
    std::vector<prepared> preparing_;
    bool shut_down_ = false;
};

}  // namespace tandem::detail
