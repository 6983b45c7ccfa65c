#pragma once

#include "transport/socket_watcher.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tandem::transport {

class socket_table;

/// The open sockets that curl uses for one transfer.
struct transfer_sockets {
    socket_table* table = nullptr;
    std::vector<curl_socket_t> sockets;
    bool held = false;
};

/// All sockets of curl: the ones opened through this table, and curl's own wake-up pipes.
class socket_table {
 public:
    socket_table(boost::asio::any_io_executor executor, event_loop_listener& events);
    ~socket_table();
    socket_table(const socket_table&) = delete;
    socket_table& operator=(const socket_table&) = delete;

    /// Makes `easy` open and close its sockets here. `owner` must stay valid until
    /// watch_kept_sockets() or until curl has closed the sockets.
    CURLcode attach(CURL* easy, transfer_sockets& owner);
    curl_socket_t open(const curl_sockaddr& address, transfer_sockets& owner) noexcept;
    void close(curl_socket_t fd) noexcept;

    /// For CURLMOPT_SOCKETFUNCTION: `what` is one of CURL_POLL_*.
    void watch(curl_socket_t fd, int what);

    /// Stops or resumes reading the sockets of `owner`. curl should do this for a paused transfer,
    /// but some versions, such as 8.5, keep reading into a buffer that has no useful bound.
    void set_reading_held(transfer_sockets& owner, bool held);

    /// Closes the connections of `owner` that curl has not closed itself: newer versions shut down
    /// gracefully, and some connections remain because a wait failed. The descriptors stay in use
    /// until curl closes them. Skips a socket that curl closed without reporting it, because its
    /// descriptor may belong to another file. Call watch_kept_sockets() after curl has removed the
    /// transfer.
    void disconnect_sockets(transfer_sockets& owner) noexcept;

    /// Watches the descriptors that curl has kept, so that curl notices their dead connections.
    /// Call it only after curl has removed the transfer: if curl closes a watched socket without
    /// reporting it, the watcher may later remove another socket with the same descriptor from the
    /// event loop.
    void watch_kept_sockets(transfer_sockets& owner) noexcept;

    void stop_watching();

 private:
    struct entry {
        transfer_sockets* owner = nullptr;
        std::shared_ptr<socket_watcher> watcher{};
        // Identifies the socket, even after its descriptor is reused; 0 if the kernel has no
        // cookies.
        std::uint64_t cookie = 0;
        // The events that curl waited for before disconnect_sockets().
        int kept_interest = 0;
    };

    using entry_map = std::unordered_map<curl_socket_t, entry>;

    entry_map::iterator find(curl_socket_t fd, const transfer_sockets& owner) noexcept;
    static curl_socket_t open_trampoline(void* owner, curlsocktype purpose,
                                         curl_sockaddr* address) noexcept;
    static int close_trampoline(void* table, curl_socket_t fd) noexcept;
    void watch_again(curl_socket_t fd, int what) noexcept;
    void unwatch(curl_socket_t fd);
    void forget(curl_socket_t fd) noexcept;

    boost::asio::any_io_executor executor_;
    event_loop_listener& events_;
    entry_map entries_;
};

}  // namespace tandem::transport
