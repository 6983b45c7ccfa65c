#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>

namespace tandem::gateway {

/// Tells when the other side of a connection has closed it, while nobody reads from it. Requests
/// that a client sends ahead stay where they are. On the socket's loop; the socket must outlive it.
class disconnect_watch {
 public:
    explicit disconnect_watch(boost::asio::ip::tcp::socket& socket);
    ~disconnect_watch() { stop(); }
    disconnect_watch(const disconnect_watch&) = delete;
    disconnect_watch& operator=(const disconnect_watch&) = delete;

    /// Calls it once at most.
    void start(std::function<void()> gone);
    /// No call follows.
    void stop() noexcept;

 private:
    struct state;
    static void wait(const std::shared_ptr<state>& s);
    static void look(const std::shared_ptr<state>& s);

    std::shared_ptr<state> state_;
};

}  // namespace tandem::gateway
