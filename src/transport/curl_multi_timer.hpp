#pragma once

#include "transport/event_loop_listener.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>

namespace tandem::transport {

/// The single timer that curl uses. Shared with its queued handlers, which do nothing after
/// close().
class curl_multi_timer : public std::enable_shared_from_this<curl_multi_timer> {
 public:
    curl_multi_timer(const boost::asio::any_io_executor& executor, event_loop_listener& events)
        : timer_(executor), events_(&events) {}

    /// As in CURLMOPT_TIMERFUNCTION: -1 disables the timer, 0 means as soon as possible.
    void set(long milliseconds);
    void close();

 private:
    void fire(std::uint64_t generation);

    boost::asio::steady_timer timer_;
    event_loop_listener* events_;
    // Counts the changes of the timer, so that handlers queued before the last change do nothing.
    std::uint64_t generation_ = 0;
};

}  // namespace tandem::transport
