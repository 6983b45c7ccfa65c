#pragma once

#include "base/failure.hpp"
#include "loop/strand_scope.hpp"
#include "server/server_calls.hpp"
#include "server/server_props_cache.hpp"
#include "server/server_usage.hpp"
#include "server/slot_manager.hpp"
#include "server/template_marks_loader.hpp"
#include "transport/transport.hpp"
#include "wire/calls/completion_request.hpp"

#include "tandem/config.hpp"
#include "tandem/instruments.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::detail {

/// State that the replies of one client or service share for one server: the transport, the slots,
/// and what is known about the server. All functions run on the scope's strand, except make() and
/// on_context_destroyed().
class server_link final : public std::enable_shared_from_this<server_link>,
                          public shutdown_listener {
 public:
    using props_handler = std::function<void(error_code, const diagnostics&, const server_props&)>;
    using marks_handler = server::template_marks_loader::handler;

    static std::shared_ptr<server_link> make(std::shared_ptr<strand_scope> scope, config c,
                                             const instruments& i,
                                             std::shared_ptr<server_usage> use);
    static std::shared_ptr<server_link> make(std::shared_ptr<strand_scope> scope, config c,
                                             const instruments& i,
                                             const slot_defaults& new_defaults);

    strand_scope& scope() const noexcept { return *scope_; }
    const boost::asio::any_io_executor& executor() const noexcept { return scope_->executor(); }
    const tandem::config& config() const noexcept { return config_; }
    /// The server's URL for messages, without a password.
    std::string shown_url() const;
    transport::http_transport& transport() noexcept { return *transport_; }
    server::server_calls& calls() noexcept { return *calls_; }
    slot_manager& slots() noexcept { return manager_; }
    bool is_shut_down() const noexcept { return shut_down_; }
    /// Whether this client or service has read the server's /props.
    bool has_read_props() const noexcept { return use_->has_read_props; }
    duration reuse_guard() const { return manager_.reuse_guard(); }
    /// The kind of prompt progress that requests ask for, depending on the server's build.
    wire::prompt_progress_mode prompt_progress_mode() const;

    /// Requests /props unless its answer is already known. A failure is not cached.
    void load_props(props_handler done);
    /// Learns how the model's chat template begins a tool call, unless that is already known for
    /// the model in /props; see template_marks_loader::load(). A failure is not cached.
    void load_tool_call_mark(marks_handler done);
    /// Like load_tool_call_mark(), but for the marks that the template writes around the words of a
    /// reply without calls.
    void load_word_marks(marks_handler done);
    /// Ends all calls with `ec` and grants no more slots.
    void shut_down(error_code ec);

    void on_owner_destroyed() override;
    void on_context_destroyed() noexcept override;
    bool owns_transport() const noexcept override { return true; }

    /// Returns why no request may be sent after the latest failures. If a request may be sent,
    /// records it as sent, and returns nullopt: the caller must then send it.
    std::optional<failure> admit_request(time_point now);

    // Outcomes of requests, which show the state of the server. `sent` is the time of sending.
    void on_request_failed(const failure& why);
    void on_completion_failed(const failure& why, time_point sent);
    /// Whether a slot can roll back to an earlier point in its text, as last observed. Recurrent,
    /// hybrid and sliding-window models cannot, and evaluate the text up to that point again.
    bool can_roll_back() const noexcept { return can_roll_back_; }
    void record_rollback(bool was_possible) noexcept { can_roll_back_ = was_possible; }
    /// A completion was answered with text, or the server was found to be back.
    void report_server_success();
    void report_slot_mismatch(int asked, int used);

    template <class... Args>
    void log(log_level level, fmt::format_string<Args...> text, Args&&... args) const {
        scope_->log(level, text, std::forward<Args>(args)...);
    }

 private:
    server_link(std::shared_ptr<strand_scope> scope, tandem::config c, const instruments& i,
                std::shared_ptr<server_usage> use);

    using load_marks = void (server::template_marks_loader::*)(server::server_calls&,
                                                               marks_handler);

    void load_from_template(load_marks load, marks_handler done);
    void on_props_received(error_code ec, const diagnostics& diag, const server_props& props);
    void warn_about_reuse_guard() const;
    void log_lines(const std::vector<log_line>& lines) const;

    std::shared_ptr<strand_scope> scope_;
    tandem::config config_;
    std::unique_ptr<transport::http_transport> transport_;
    // Empty after the execution context is destroyed, like transport_.
    std::optional<server::server_calls> calls_;
    std::shared_ptr<server_usage> use_;
    slot_manager manager_;
    std::vector<props_handler> preparing_;
    server::template_marks_loader marks_loader_;
    bool can_roll_back_ = true;
    bool shut_down_ = false;
};

}  // namespace tandem::detail
