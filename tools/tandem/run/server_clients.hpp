#pragma once

#include "run/replay_view.hpp"

#include "tandem/client.hpp"
#include "tandem/service.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The servers of a run, each with a client of its own. To be used on one thread.
class server_clients {
 public:
    struct server {
        /// As it was given, and as it may be shown.
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

    /// `settings` must be free of faults.
    server_clients(boost::asio::any_io_executor executor, const service_config& settings);

    /// Asks all servers what they are; so long again, as they start, or load their model.
    boost::asio::awaitable<void> ask(duration wait);
    /// Tells which answered, and once of each that did not.
    void tell(replay_view& view) const;
    /// Calls that wait for an answer are given up.
    void close();

    /// Those that answered, in turn. Precondition: some did.
    server& next();
    /// A reply ended with this: one that cannot be reached is left out, if there is another one.
    void reply_failed(server& s, const error_code& ec);

    std::size_t answering() const noexcept;
    /// The URLs, as they were given, except those that answered what no waiting will change, where
    /// another one can serve.
    std::vector<std::string> that_may_serve() const;
    /// The longest one of those that answered.
    duration reuse_guard() const;
    const std::vector<server>& all() const noexcept { return servers_; }

 private:
    boost::asio::awaitable<void> ask(server& s, duration wait);
    bool is_left_out(const server& s) const;

    boost::asio::any_io_executor executor_;
    std::optional<duration> reuse_guard_;
    std::vector<server> servers_;
    std::size_t next_ = 0;
};

}  // namespace tandem::command
