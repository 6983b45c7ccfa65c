#pragma once

#include "os/signal_pipe.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <array>
#include <functional>

namespace tandem::command {

/// Calls `on_stop` at the first SIGINT, SIGTERM or SIGHUP. Only one object may exist at a time.
class stop_signals {
 public:
    stop_signals(boost::asio::io_context& ioc, std::function<void()> on_stop);
    ~stop_signals();

    /// Stops waiting, so that the event loop can end.
    void cancel();

 private:
    std::function<void()> on_stop_;
    signal_pipe pipe_;
    boost::asio::posix::stream_descriptor reader_;
    std::array<char, 1> byte_{};
};

}  // namespace tandem::command
