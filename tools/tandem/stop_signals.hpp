#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <functional>

namespace tandem::command {

/// Ctrl-C and SIGTERM. The first one calls `on_stop`; the second one ends the process at once, also
/// while it is blocked writing its output. One object at a time.
class stop_signals {
 public:
    stop_signals(boost::asio::io_context& ioc, std::function<void()> on_stop);
    ~stop_signals();
    stop_signals(const stop_signals&) = delete;
    stop_signals& operator=(const stop_signals&) = delete;

    /// No longer waits, so that the event loop can end.
    void cancel();
    /// The first signal that came; 0 = none.
    static int received() noexcept;

 private:
    std::function<void()> on_stop_;
    boost::asio::posix::stream_descriptor pipe_;
    std::array<char, 1> byte_{};
};

}  // namespace tandem::command
