#pragma once

#include "base/time.hpp"
#include "cluster/store_address.hpp"
#include "cluster/store_answer.hpp"

#include "tandem/log.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::cluster {

/// How the store is reached.
struct store_options {
    store_address address{};
    /// Empty = none.
    std::string password{};
    /// Certificates trusted instead of the system's; empty = the system's.
    std::string ca_file{};
    /// The connection's name in the store's `CLIENT LIST`.
    std::string client_name{};
};

/// A connection to the store, renewed after each failure. Commands are sent in order, without
/// waiting for earlier answers.
///
/// Use it on its executor, on one thread. Destroying it drops the handlers that were not called.
class store_link {
 public:
    /// Receives the answer; nullopt if there was none: the store is not connected, or did not
    /// answer within `answer_limit`. Called exactly once, never from within run().
    using answer_handler = std::function<void(const std::optional<store_answer>&)>;

    // Limits of a command, of connecting, and of the commands without an answer.
    static constexpr duration answer_limit = std::chrono::seconds(1);
    static constexpr duration connect_limit = std::chrono::seconds(2);
    static constexpr std::size_t max_running = 10'000;

    store_link(const boost::asio::any_io_executor& executor, store_options o, logger log);
    ~store_link();
    store_link(const store_link&) = delete;
    store_link& operator=(const store_link&) = delete;

    /// `on_connected` is called after each connection, before the answers of any command.
    void start(std::function<void()> on_connected);
    void run(std::vector<std::string> words, answer_handler done);
    /// Makes this a connection for messages, on which run() must not be called. A message that is
    /// published while the store is not connected is lost.
    void subscribe(std::string channel);
    void set_message_handler(
        std::function<void(const std::string& channel, const std::string& text)> handler);

    bool is_connected() const noexcept;

 private:
    class connection_loop;
    std::shared_ptr<connection_loop> loop_;
};

}  // namespace tandem::cluster
