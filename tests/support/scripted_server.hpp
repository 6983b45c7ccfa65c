#pragma once

// clang-format off
#include <utility>  // awaitable.hpp of Boost 1.74 needs <utility> but does not include it
// clang-format on

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tandem::testing {

/// How the other side ended a connection.
enum class peer_end { fin, reset };

/// One accepted connection for a script. Sending to a closed connection is not an error.
class scripted_peer {
 public:
    explicit scripted_peer(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

    /// Reads the head and body of a request.
    boost::asio::awaitable<std::string> read_request();
    /// Waits until the connection is readable.
    boost::asio::awaitable<void> wait_readable();
    boost::asio::awaitable<void> send(std::string text);
    /// Sends `text` as one chunk of a chunked body.
    boost::asio::awaitable<void> send_chunk(std::string_view text);
    /// Sends `text` repeatedly until the connection accepts no data for 100 ms or `most` bytes are
    /// sent. Returns the number of bytes sent.
    boost::asio::awaitable<std::size_t> send_until_stalled(std::string_view text, std::size_t most);
    /// Reads until the other side closes the connection.
    boost::asio::awaitable<peer_end> wait_for_close();
    /// Ends the connection with an RST instead of a FIN.
    void reset();

 private:
    boost::asio::awaitable<bool> wait_writable(std::chrono::milliseconds limit);

    boost::asio::ip::tcp::socket socket_;
    std::string received_;
};

/// A server on a free port of 127.0.0.1 with its own thread. Runs a script for each connection, and
/// closes the connection when the script returns.
class scripted_server {
 public:
    using script = std::function<boost::asio::awaitable<void>(scripted_peer&)>;

    explicit scripted_server(script s);
    ~scripted_server();
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    unsigned short port() const noexcept { return port_; }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    int accepted() const noexcept { return accepted_; }

 private:
    boost::asio::awaitable<void> accept_all();
    boost::asio::awaitable<void> serve(boost::asio::ip::tcp::socket socket);

    script script_;
    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    unsigned short port_;
    std::atomic<int> accepted_ = 0;
    std::thread thread_;
};

/// A gate at which one script waits until a test opens the gate, from any thread. The gate then
/// stays open. Must be defined before the server, so that it outlives the scripts.
class gate {
 public:
    boost::asio::awaitable<void> wait_until_open();
    void open();

 private:
    std::mutex mutex_;
    bool open_ = false;
    boost::asio::steady_timer* waiting_ = nullptr;
};

/// An HTTP answer with `status`, `body` and the length of the body.
std::string whole_answer(std::string_view body, std::string_view status = "200 OK");
/// The head of a chunked event stream, and the chunk that ends the stream.
inline constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
inline constexpr std::string_view stream_end = "0\r\n\r\n";

}  // namespace tandem::testing
