#pragma once

#include "transport/loop_events.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <memory>

namespace tandem::transport {

/// The one timer curl asks for. Shared with its queued handlers, which do nothing after close().
class multi_timer : public std::enable_shared_from_this<multi_timer> {
 public:
    multi_timer(const boost::asio::any_io_executor& executor, loop_events& events)
        : timer_(executor), events_(&events) {}

    /// As CURLMOPT_TIMERFUNCTION has it: -1 is none, 0 is soon.
    void set(long milliseconds);
    void close();

 private:
    void fire(std::uint64_t generation);

    boost::asio::steady_timer timer_;
    loop_events* events_;
    // A handler that was queued before the timer was set again must not fire.
    std::uint64_t generation_ = 0;
};

}  // namespace tandem::transport
