#pragma once

#include "engine/engine.hpp"
#include "faults/fault_plan.hpp"
#include "faults/journal.hpp"
#include "http/router.hpp"
#include "http/session.hpp"
#include "http/ssl_stream.hpp"
#include "tandem_mock/options.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <unordered_map>

namespace tandem::mock {

/// Runs on the event loop: accepts connections, passes their requests to the router, and drives the
/// engine's steps. Not thread-safe.
class mock_http_server : private session_host {
 public:
    mock_http_server(boost::asio::io_context& io, const options& o, journal& j, fault_plan& f);
    ~mock_http_server();

    std::uint16_t port() const { return port_; }
    void start();
    /// Closes the port and all connections.
    void stop();

 private:
    void listen();
    void bind();
    void accept();
    void add_session(boost::asio::ip::tcp::socket socket);

    void on_request(session& from, const http_request& request) override;
    void on_client_gone(std::uint64_t number) override;
    void on_faulted(std::uint64_t number) override;
    void on_closed(session& which) override;
    void answer(session& to, std::uint64_t number, const http_reply& reply);

    void drive_engine();
    void schedule_end_of_step(nanoseconds cost);
    void end_step();
    void wait_for_poll();
    void deliver_outputs();
    void deliver(const engine_output& out);
    void crash(const std::string& message);

    boost::asio::io_context& io_;
    const options& options_;
    journal& journal_;
    stream_maker make_stream_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer step_timer_;
    boost::asio::steady_timer poll_timer_;
    engine engine_;
    router router_;
    std::unordered_map<std::uint64_t, std::shared_ptr<session>> sessions_;  // by number
    std::unordered_map<task_id, std::weak_ptr<session>> waiting_for_;       // by task
    std::uint64_t last_connection_ = 0;
    std::uint16_t port_ = 0;
    time_point step_due_{};
    bool stepping_ = false;
    bool stopped_ = false;
};

}  // namespace tandem::mock
