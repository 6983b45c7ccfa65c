#pragma once

#include "config/config_defaults.hpp"
#include "os/coroutines.hpp"
#include "run/replay_view.hpp"

#include "tandem/client.hpp"
#include "tandem/instruments.hpp"
#include "tandem/service.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The servers of a run, each with its own client. To be used on one thread.
class server_clients {
 public:
    struct server {
        /// The URL as given, and in display form.
        std::string given;
        std::string url;
        std::optional<client> talk;
        boost::asio::steady_timer pause;
        bool answers = false;
        server_props props{};
        error_code fault{};
        tandem::diagnostics diagnostics{};

        /// "up", "loading", or "down".
        const char* state() const noexcept;
    };

    /// Precondition: `settings` is valid. `defaults`: which slots the run uses if `settings` do not
    /// specify slots.
    server_clients(boost::asio::any_io_executor executor, const service_config& settings,
                   const instruments& i,
                   detail::slot_defaults defaults = detail::service_slot_defaults);

    /// Queries all servers. Repeats a server's query for up to `wait` while this server is starting
    /// or loading its model.
    awaitable<void> fetch_props(duration wait);
    /// Reports to the view which servers answered, and each failure.
    void report_to(replay_view& view) const;
    /// The failures, which contain views into this object.
    std::vector<fault_event> faults() const;
    /// Cancels pending calls.
    void close();

    /// Returns the next of the answering servers, in rotation. Precondition: a server has answered.
    server& next_answering_server();
    /// Excludes the server from rotation if it is unreachable, unless it is the last one.
    void on_reply_failed(server& s, const error_code& ec);

    std::size_t count_answering() const noexcept;
    /// Returns the URLs as given. Omits servers with a permanent error if another server has
    /// answered.
    std::vector<std::string> usable_server_urls() const;
    const std::vector<server>& all() const noexcept { return servers_; }

 private:
    awaitable<void> fetch_props(server& s, duration wait);
    bool is_left_out(const server& s) const;

    boost::asio::any_io_executor executor_;
    std::vector<server> servers_;
    std::size_t next_ = 0;
};

}  // namespace tandem::command
