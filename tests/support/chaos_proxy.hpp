#pragma once

// clang-format off
#include <utility>  // awaitable.hpp of Boost 1.74 needs <utility> but does not include it
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tandem::testing {

/// A fault that the proxy causes in a connection.
enum class connection_fault {
    none,
    drop,     ///< the connection is closed before any byte passes
    delay,    ///< each piece of data passes after a random delay
    stall,    ///< no more data passes, and the connection stays open until the client closes it
    reset,    ///< RST to both sides
    close,    ///< FIN to both sides
    corrupt,  ///< one byte is changed
};
inline constexpr std::size_t connection_fault_count = 7;

/// The random faults of a proxy's connections.
struct chaos_plan {
    std::uint64_t seed = 1;
    /// The relative frequency of each fault.
    std::array<int, connection_fault_count> weights{1};
    int& weight(connection_fault i) { return weights[static_cast<std::size_t>(i)]; }
    /// A stall, reset, close or corruption happens after at most this number of bytes in one
    /// direction. Small numbers are more likely, so that faults hit HTTP heads as well as streams.
    std::size_t within = 32 * 1024;
    std::chrono::milliseconds max_delay{50};
};

/// A TCP proxy on a free port of 127.0.0.1 with its own thread. The fault of the n-th connection
/// depends only on the plan and n. All functions may be called from any thread.
class chaos_proxy {
 public:
    chaos_proxy(std::uint16_t upstream, chaos_plan plan);
    ~chaos_proxy();
    chaos_proxy(const chaos_proxy&) = delete;
    chaos_proxy& operator=(const chaos_proxy&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::uint16_t port() const noexcept { return port_; }

    /// Applies to connections that are accepted after this call.
    void set_plan(chaos_plan plan);
    /// Resets all open connections and refuses new connections.
    void close_port();
    void open_port();

    /// The number of connections with this fault.
    int count(connection_fault i) const { return counts_[static_cast<std::size_t>(i)]; }
    /// The number of open connections.
    int running() const { return running_; }

 private:
    struct link;
    struct direction;
    using link_ptr = std::shared_ptr<link>;
    template <class Result = void>
    using awaitable = boost::asio::awaitable<Result>;

    void run_inside(const std::function<void()>& task);
    void listen();
    void reset_all();
    awaitable<> accept_all();
    awaitable<> serve(link_ptr l);
    awaitable<> pump(link_ptr l, direction way);
    awaitable<bool> pass(link& l, const direction& way, std::string piece);
    bool strike(link& l, std::string& rest);
    link_ptr new_link(boost::asio::ip::tcp::socket client);

    chaos_plan plan_;
    std::uint16_t upstream_;
    std::uint64_t accepted_ = 0;
    std::vector<std::weak_ptr<link>> links_;
    std::array<std::atomic<int>, connection_fault_count> counts_{};
    std::atomic<int> running_ = 0;
    boost::asio::io_context context_{1};
    std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

}  // namespace tandem::testing
