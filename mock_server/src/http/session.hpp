#pragma once

#include "engine/task.hpp"
#include "http/byte_stream.hpp"
#include "http/http_message.hpp"
#include "http/http_request_reader.hpp"
#include "http/response_writer.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>

namespace tandem::mock {

class session;

/// The owner of all sessions, which handles their requests.
class session_host {
 public:
    /// A request is complete: call begin_response() immediately, then reply() or deliver().
    virtual void on_request(session& from, const http_request& request) = 0;
    /// The client closed its connection during the response to request `number`.
    virtual void on_client_gone(std::uint64_t number) = 0;
    /// An injected fault ended the response to request `number`.
    virtual void on_faulted(std::uint64_t number) = 0;
    virtual void on_closed(session& which) = 0;

 protected:
    ~session_host() = default;
};

/// One connection: reads requests, one at a time, and performs the actions of response_writer.
class session : public std::enable_shared_from_this<session> {
 public:
    session(session_host& host, std::unique_ptr<byte_stream> stream,
            const boost::asio::any_io_executor& executor, std::uint64_t number,
            std::chrono::milliseconds keep_alive_timeout);

    void start();
    std::uint64_t number() const { return number_; }

    void begin_response(std::uint64_t request, bool keep_alive, std::optional<fault> f);
    void reply(const http_reply& r);
    void deliver(const engine_output& out);

    void close();
    void reset();

 private:
    enum class input { idle, reading, ended };
    enum class output { idle, writing, paused };
    enum class connection { open, leaving, closed };  ///< leaving: waits for the client to close

    bool is_closed() const { return connection_ == connection::closed; }
    void read();
    void on_read(std::size_t bytes);
    void on_end_of_input(bool broken);
    void next_request();
    void write_out(const engine_output& out);
    void take_actions();
    void perform();
    void write();
    void pause(std::chrono::milliseconds duration);
    void finish_response();
    void wait_for_request();
    void leave();

    session_host& host_;
    std::unique_ptr<byte_stream> stream_;
    boost::asio::steady_timer pause_timer_;
    boost::asio::steady_timer idle_timer_;
    const std::uint64_t number_;
    const std::chrono::milliseconds keep_alive_timeout_;

    http_request_reader reader_;
    std::array<char, 16 * 1024> read_buffer_;
    input input_ = input::idle;

    // The current request.
    std::optional<response_writer> response_;
    std::uint64_t request_ = 0;
    bool keep_alive_ = true;
    int requests_left_ = 100;

    std::deque<socket_action> actions_;
    std::size_t queued_bytes_ = 0;
    std::string written_;  // the bytes of the write in progress
    output output_ = output::idle;
    connection connection_ = connection::open;
};

}  // namespace tandem::mock
