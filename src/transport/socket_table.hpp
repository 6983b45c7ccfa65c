#pragma once

#include "transport/socket_watcher.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tandem::transport {

class socket_table;

/// The sockets that curl opened for one exchange and did not close yet.
struct socket_owner {
    socket_table* table = nullptr;
    std::vector<curl_socket_t> sockets;
    bool held = false;
};

/// All sockets curl uses: the ones it opened through us, and its own wake-up pipes.
class socket_table {
 public:
    socket_table(boost::asio::any_io_executor executor, loop_events& events);
    ~socket_table();
    socket_table(const socket_table&) = delete;
    socket_table& operator=(const socket_table&) = delete;

    /// Lets the sockets of `easy` be opened and closed here. `owner` must stay until cut() or until
    /// curl has closed them.
    CURLcode attach(CURL* easy, socket_owner& owner);
    curl_socket_t open(const curl_sockaddr& address, socket_owner& owner) noexcept;
    void close(curl_socket_t fd) noexcept;

    /// For CURLMOPT_SOCKETFUNCTION: `what` is CURL_POLL_*.
    void watch(curl_socket_t fd, int what);

    /// Stops reading the sockets of `owner`, and continues. That is for curl to do when a transfer
    /// is paused, but some versions (8.5) read on, into a buffer of their own without a useful
    /// bound.
    void hold(socket_owner& owner, bool held);

    /// Closes the connections of `owner` that curl still keeps, as newer versions do to shut down
    /// gracefully, or after a failed wait. The numbers stay taken until curl gives them up. A
    /// socket that curl closed without reporting it is left alone: its number may belong to another
    /// by now.
    void cut(socket_owner& owner) noexcept;

    /// Ends all waits.
    void stop_watching();

 private:
    struct entry {
        socket_owner* owner = nullptr;
        std::shared_ptr<socket_watcher> watcher{};
        // Identifies the socket for good, unlike its number; 0 where the kernel gives none.
        std::uint64_t cookie = 0;
    };

    using entry_map = std::unordered_map<curl_socket_t, entry>;

    entry_map::iterator find(curl_socket_t fd, const socket_owner& owner) noexcept;
    static curl_socket_t open_trampoline(void* owner, curlsocktype purpose,
                                         curl_sockaddr* address) noexcept;
    static int close_trampoline(void* table, curl_socket_t fd) noexcept;
    void watch_again(curl_socket_t fd, int what) noexcept;
    void unwatch(curl_socket_t fd);
    void forget(curl_socket_t fd) noexcept;

    boost::asio::any_io_executor executor_;
    loop_events& events_;
    entry_map entries_;
};

}  // namespace tandem::transport
