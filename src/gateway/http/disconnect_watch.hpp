#pragma once

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <memory>

namespace tandem::gateway {

/// Notifies when the peer closes an idle connection. Does not read from the socket, so pipelined
/// requests are not lost. Use on the socket's loop; the socket must outlive the watch.
class disconnect_watch {
 public:
    explicit disconnect_watch(boost::asio::ip::tcp::socket& socket);
    ~disconnect_watch() { stop(); }
    disconnect_watch(const disconnect_watch&) = delete;
    disconnect_watch& operator=(const disconnect_watch&) = delete;

    /// Calls `gone` at most once.
    void start(std::function<void()> gone);
    /// `gone` is not called afterwards.
    void stop() noexcept;

 private:
    struct state;
    static void wait_until_readable(const std::shared_ptr<state>& s);
    static void check_connection(const std::shared_ptr<state>& s);

    std::shared_ptr<state> state_;
};

}  // namespace tandem::gateway
