#pragma once

#include "transport/event_loop_listener.hpp"

#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/strand.hpp>

#include <memory>

namespace tandem::transport {

/// Waits for a socket on behalf of curl, which owns it. Shared with its queued handlers, which do
/// nothing after close(), because the descriptor may then belong to another file.
class socket_watcher : public std::enable_shared_from_this<socket_watcher> {
 public:
    socket_watcher(const boost::asio::any_io_executor& executor, curl_socket_t fd,
                   event_loop_listener& events);
    ~socket_watcher();

    /// Whether the event loop has registered the socket.
    bool is_registered() const noexcept { return !assign_error_; }
    /// `what` is CURL_POLL_IN, _OUT or _INOUT, which have the same bits as CURL_CSELECT_*.
    void set_interest(int what);
    int interest() const noexcept { return wanted_; }
    /// While held, curl is not notified of readable data.
    void set_reading_held(bool held);
    /// Must be called before the socket is closed, while it can still be removed from the event
    /// loop.
    void close();

 private:
    int allowed_interest() const noexcept;
    void drop_write_interest();
    void arm_waits();
    void wait(boost::asio::posix::stream_descriptor::wait_type type, int mask);
    void on_wait(const error_code& ec, int mask, int registration);

    /// Stored as a strand rather than any_io_executor: Asio copies an executor several times for
    /// each wait, and a strand does not fit into `any_io_executor` without an allocation.
    boost::asio::strand<boost::asio::any_io_executor> strand_;
    boost::asio::posix::stream_descriptor descriptor_;
    curl_socket_t fd_;
    event_loop_listener* events_;
    error_code assign_error_;
    // The events that curl wants, and the events that waits are running for. A wait for an event
    // that curl no longer wants runs until it completes.
    int wanted_ = 0;
    int armed_ = 0;
    bool held_ = false;
    // Number of the current registration; waits of earlier registrations are obsolete.
    int registration_ = 0;
};

}  // namespace tandem::transport
