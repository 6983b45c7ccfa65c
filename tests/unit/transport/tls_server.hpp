#pragma once

#include "support/certificate.hpp"
#include "support/scripted_server.hpp"

#include <boost/asio/ssl/context.hpp>

#include <future>

namespace tandem::testing {

/// Speaks TLS on a free port of 127.0.0.1: reads one request and sends `answer`. If `polite`, waits
/// until the client closes. Otherwise, closes without a close_notify. Then completes
/// connection_closed().
class tls_server {
 public:
    tls_server(const certificate& c, std::string answer, bool polite = true);
    ~tls_server();
    tls_server(const tls_server&) = delete;
    tls_server& operator=(const tls_server&) = delete;

    std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
    std::future<void> connection_closed() { return closed_.get_future(); }

 private:
    boost::asio::awaitable<void> serve_one();

    std::string answer_;
    bool polite_;
    boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
    boost::asio::io_context context_{1};
    boost::asio::ip::tcp::acceptor acceptor_;
    unsigned short port_;
    std::promise<void> closed_;
    std::thread thread_;
};

}  // namespace tandem::testing
