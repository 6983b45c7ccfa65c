#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <array>
#include <string>
#include <sys/socket.h>

namespace tandem::transport {

/// A listening socket that accepts no more connections.
class full_listener {
 public:
    full_listener() : acceptor_(ioc_) {
        acceptor_.open(boost::asio::ip::tcp::v4());
        acceptor_.bind({boost::asio::ip::address_v4::loopback(), 0});
        acceptor_.listen(0);
        for (auto& s : waiting_) {
            s.open(boost::asio::ip::tcp::v4());
            s.native_non_blocking(true);
            // Asio's connect() would wait for the connection, even with a non-blocking socket.
            const auto to = acceptor_.local_endpoint();
            ::connect(s.native_handle(), to.data(), static_cast<socklen_t>(to.size()));
        }
    }
    std::string url() const {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port());
    }

 private:
    boost::asio::io_context ioc_;
    boost::asio::ip::tcp::acceptor acceptor_;
    std::array<boost::asio::ip::tcp::socket, 4> waiting_{
        boost::asio::ip::tcp::socket(ioc_), boost::asio::ip::tcp::socket(ioc_),
        boost::asio::ip::tcp::socket(ioc_), boost::asio::ip::tcp::socket(ioc_)};
};

}  // namespace tandem::transport
