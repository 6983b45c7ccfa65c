#include "http/ssl_stream.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>

namespace tandem::mock {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

class ssl_stream : public byte_stream {
 public:
    ssl_stream(tcp::socket plain, std::shared_ptr<asio::ssl::context> context)
        : context_(std::move(context)),
          stream_(std::make_shared<asio::ssl::stream<tcp::socket>>(std::move(plain), *context_)) {
        boost::system::error_code ignored;
        socket().set_option(tcp::no_delay(true), ignored);
    }

    void async_open(handler done) override {
        stream_->async_handshake(asio::ssl::stream_base::server,
                                 [done = std::move(done)](auto error) { done(error, 0); });
    }
    void async_read(char* data, std::size_t size, handler done) override {
        stream_->async_read_some(asio::buffer(data, size), std::move(done));
    }
    void async_write(std::string_view data, handler done) override {
        asio::async_write(*stream_, asio::buffer(data.data(), data.size()), std::move(done));
    }
    // The handler keeps the stream alive until the shutdown ends, because this object may be
    // destroyed before.
    void end_writing() override {
        stream_->async_shutdown([keep = stream_, context = context_](auto) {});
    }
    void close() override {
        boost::system::error_code ignored;
        socket().close(ignored);
    }
    void reset() override {
        boost::system::error_code ignored;
        socket().set_option(asio::socket_base::linger(true, 0), ignored);
        socket().close(ignored);
    }

 private:
    tcp::socket::lowest_layer_type& socket() { return stream_->lowest_layer(); }

    std::shared_ptr<asio::ssl::context> context_;
    std::shared_ptr<asio::ssl::stream<tcp::socket>> stream_;
};

// Adds the file, which OpenSSL's message does not name.
void check(const boost::system::error_code& ec, const std::string& file) {
    if (ec) throw boost::system::system_error(ec, "PEM file " + file);
}

}  // namespace

stream_maker make_ssl_streams(const std::string& cert_file, const std::string& key_file) {
    auto context = std::make_shared<asio::ssl::context>(asio::ssl::context::tls_server);
    boost::system::error_code ec;
    context->use_certificate_chain_file(cert_file, ec);
    check(ec, cert_file);
    context->use_private_key_file(key_file, asio::ssl::context::pem, ec);
    check(ec, key_file);
    return [context](tcp::socket socket) {
        return std::make_unique<ssl_stream>(std::move(socket), context);
    };
}

}  // namespace tandem::mock
