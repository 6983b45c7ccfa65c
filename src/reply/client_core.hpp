#pragma once

#include "reply/client_registry.hpp"
#include "reply/known_server.hpp"
#include "reply/slot_keeper.hpp"
#include "server/server_calls.hpp"
#include "transport/transport.hpp"

#include "tandem/config.hpp"
#include "tandem/server.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/dispatch.hpp>
#include <fmt/format.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::detail {

class reply_shell;

/// What the replies of one client share: the strand, the transport, the slots, and what is known of
/// the server. All functions but the constructor, executor(), dispatch(), start() and
/// context_ended() run on the strand.
class client_core : public std::enable_shared_from_this<client_core> {
 public:
    using prepared = std::function<void(error_code, const diagnostics&, const server_props&)>;
    using make_transport = std::function<std::unique_ptr<transport::http_transport>(
        boost::asio::any_io_executor, const config&)>;

    /// `make` is the seam for tests.
    client_core(const boost::asio::any_io_executor& executor, config c, const make_transport& make);
    ~client_core();

    /// The strand; empty once the execution context is gone.
    const boost::asio::any_io_executor& executor() const noexcept { return executor_; }
    const tandem::config& config() const noexcept { return config_; }
    /// Runs `f` on the strand. Once the execution context is gone, `f` is destroyed instead.
    template <class Function>
    void dispatch(Function f) const {
        // `f` may own this object.
        const auto strand = executor_;
        if (strand) boost::asio::dispatch(strand, std::move(f));
    }
    std::shared_ptr<reply_shell> start(std::string prompt, generation_options options);

    transport::http_transport& transport() noexcept { return *transport_; }
    server::server_calls& calls() noexcept { return *calls_; }
    slot_keeper& keeper() noexcept { return keeper_; }
    bool shut_down() const noexcept { return shut_down_; }

    /// Asks for /props unless its answer is known already. A failure is not kept.
    void prepare(prepared done);
    /// Ends everything with client_destroyed; nothing can be started afterwards.
    void destroy();
    /// The execution context is being destroyed: closes all connections, and destroys all handlers
    /// without calling them. What is left of client and replies touches the context no more.
    void context_ended() noexcept;

    // What the requests of replies tell of the server.
    void request_failed(const error_code& ec);
    void ran_on_another_slot(int asked, int used);

    template <class... Args>
    void log(log_level level, fmt::format_string<Args...> text, Args&&... args) const {
        if (config_.logger.enabled(level))
            write_log(level, fmt::format(text, std::forward<Args>(args)...));
    }

 private:
    void write_log(log_level level, const std::string& line) const noexcept;
    void remember(const std::shared_ptr<reply_shell>& reply);
    std::vector<std::weak_ptr<reply_shell>> take_replies() noexcept;
    void props_arrived(error_code ec, const diagnostics& diag, const server_props& props);
    void log_lines(const std::vector<log_line>& lines) const;

    boost::asio::any_io_executor executor_;
    tandem::config config_;
    std::unique_ptr<transport::http_transport> transport_;
    // Empty once the execution context is gone, as executor_ and transport_ are.
    std::optional<server::server_calls> calls_;
    known_server server_;
    slot_keeper keeper_;
    std::mutex replies_mutex_;
    std::vector<std::weak_ptr<reply_shell>> replies_;
    std::vector<prepared> preparing_;
    std::atomic<std::uint64_t> last_reply_id_{0};
    bool shut_down_ = false;
    client_registry* registry_ = nullptr;
};

}  // namespace tandem::detail
