#pragma once

#include "base/time.hpp"
#include "cluster/store/command_queue.hpp"
#include "cluster/store/store_answer.hpp"
#include "cluster/store/store_options.hpp"

#include "tandem/log.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tandem::cluster {

/// A connection to the store. Reconnects after each failure. Sends commands in order, without
/// waiting for earlier answers.
///
/// Use it on its executor, on one thread. The destructor drops handlers that were not called yet.
class store_link {
 public:
    /// Receives the answer; nullopt if there was none: the store is not connected, or did not
    /// answer in time. Called exactly once, never from within run().
    using answer_handler = store_answer_handler;

    /// A connection on which an answer takes longer is closed.
    static constexpr duration answer_limit = command_queue::answer_limit;

    store_link(const boost::asio::any_io_executor& executor, store_options o, logger log);
    ~store_link();
    store_link(const store_link&) = delete;
    store_link& operator=(const store_link&) = delete;

    /// Connects. Calls `on_connected` each time a connection is established, before any answer. A
    /// connection for messages calls it each time the store has confirmed all channels; messages
    /// published before that may be lost.
    void start(std::function<void()> on_connected);
    /// Sends a command. An answer that arrives after `limit` (at most `answer_limit`) is dropped.
    void run(std::vector<std::string> words, answer_handler done, duration limit = answer_limit);
    /// Makes this a connection for messages. run() must not be called on it.
    void subscribe(std::string channel);
    /// Precondition: another channel remains.
    void unsubscribe(const std::string& channel);
    void set_message_handler(
        std::function<void(const std::string& channel, const std::string& text)> handler);

    /// Whether the store has confirmed all channels of this connection for messages.
    bool is_connected() const noexcept;

 private:
    class connection_loop;
    std::shared_ptr<connection_loop> loop_;
};

}  // namespace tandem::cluster
