#pragma once

#include "transport/loop_events.hpp"

#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <memory>

namespace tandem::transport {

/// Waits for one socket on behalf of curl, which owns it. Shared with its queued handlers, which do
/// nothing after close(): the number of the socket may be another one's by then.
class socket_watcher : public std::enable_shared_from_this<socket_watcher> {
 public:
    socket_watcher(const boost::asio::any_io_executor& executor, curl_socket_t fd,
                   loop_events& events);
    ~socket_watcher();
    socket_watcher(const socket_watcher&) = delete;
    socket_watcher& operator=(const socket_watcher&) = delete;

    /// The event loop took the socket.
    bool is_registered() const noexcept { return !assign_error_; }
    /// `what` is CURL_POLL_IN, _OUT or _INOUT, whose bits are those of CURL_CSELECT_*.
    void want(int what);
    int wanted() const noexcept { return wanted_; }
    /// While held, curl does not learn that there is something to read.
    void hold(bool held);
    /// Must be called before the socket is closed, while the event loop can still be informed.
    void close();

 private:
    int permitted() const noexcept;
    void forget_writes();
    void arm();
    void wait(boost::asio::posix::stream_descriptor::wait_type type, int mask);
    void on_wait(const error_code& ec, int mask, int registration);

    /// As what it is, and not as any executor: Asio copies an executor several times for each wait,
    /// and a strand does not fit into `any_io_executor` without memory of its own.
    boost::asio::strand<boost::asio::any_io_executor> strand_;
    boost::asio::posix::stream_descriptor descriptor_;
    curl_socket_t fd_;
    loop_events* events_;
    error_code assign_error_;
    // What curl wants, and the waits that run. They differ for a while whenever curl changes its
    // mind, as a running wait is left to end by itself.
    int wanted_ = 0;
    int armed_ = 0;
    bool held_ = false;
    // Counts how often the socket was registered; waits of an earlier one are over.
    int registration_ = 0;
};

}  // namespace tandem::transport
