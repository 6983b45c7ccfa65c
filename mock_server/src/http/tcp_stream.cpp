#include "http/tcp_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

namespace tandem::mock {
namespace {

namespace asio = boost::asio;

class tcp_stream : public byte_stream {
 public:
    explicit tcp_stream(asio::ip::tcp::socket socket) : socket_(std::move(socket)) {
        boost::system::error_code ignored;
        socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
    }

    void async_open(handler done) override {
        asio::post(socket_.get_executor(), [done = std::move(done)] { done({}, 0); });
    }
    void async_read(char* data, std::size_t size, handler done) override {
        socket_.async_read_some(asio::buffer(data, size), std::move(done));
    }
    void async_write(std::string_view data, handler done) override {
        asio::async_write(socket_, asio::buffer(data.data(), data.size()), std::move(done));
    }
    void end_writing() override {
        boost::system::error_code ignored;
        socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    }
    void close() override {
        boost::system::error_code ignored;
        socket_.close(ignored);
    }
    void reset() override {
        boost::system::error_code ignored;
        socket_.set_option(asio::socket_base::linger(true, 0), ignored);
        socket_.close(ignored);
    }

 private:
    asio::ip::tcp::socket socket_;
};

}  // namespace

std::unique_ptr<byte_stream> make_tcp_stream(asio::ip::tcp::socket socket) {
    return std::make_unique<tcp_stream>(std::move(socket));
}

}  // namespace tandem::mock
