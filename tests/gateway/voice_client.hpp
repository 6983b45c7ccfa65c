#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <boost/beast/websocket/stream.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace tandem::testing {

/// A blocking client of /v1/voice or another WebSocket. Each operation waits up to 120 s.
class voice_client {
 public:
    using json = nlohmann::json;

    explicit voice_client(std::uint16_t port, const std::string& protocols = "tandem.voice.v1",
                          const std::string& authorization = {},
                          const std::string& traceparent = {},
                          const std::string& path = "/v1/voice") {
        boost::system::error_code ec;
        stream_.next_layer().connect({boost::asio::ip::address_v4::loopback(), port}, ec);
        stream_.set_option(boost::beast::websocket::stream_base::decorator([=](auto& r) {
            if (!protocols.empty()) r.set("Sec-WebSocket-Protocol", protocols);
            if (!authorization.empty()) r.set("Authorization", authorization);
            if (!traceparent.empty()) r.set("traceparent", traceparent);
        }));
        if (!ec)
            ec = wait([&](auto told) { stream_.async_handshake(answer_, "gateway", path, told); });
        is_open_ = !ec;
    }

    bool is_open() const { return is_open_; }
    /// The HTTP status of the answer to the upgrade.
    int status() const { return static_cast<int>(answer_.result_int()); }
    std::string header(const std::string& name) const { return std::string(answer_[name]); }

    void say(const json& message) { send(message.dump()); }
    void send(const std::string& text, bool is_binary = false) {
        stream_.binary(is_binary);
        wait([&](auto told) {
            stream_.async_write(boost::asio::buffer(text), [told](auto ec, auto) { told(ec); });
        });
    }
    /// The next message; null if the gateway has closed the connection, or on a timeout.
    json read() {
        boost::beast::flat_buffer bytes;
        const auto ec = wait([&](auto told) {
            stream_.async_read(bytes, [told](auto error, auto) { told(error); });
        });
        if (ec) return {};
        const auto* const text = static_cast<const char*>(bytes.data().data());
        return json::parse(text, text + bytes.size(), nullptr, false);
    }
    /// The next message of this type; null if the connection ends first.
    json read(const std::string& type) {
        for (;;) {
            auto m = read();
            if (m.is_null() || m["type"] == type) return m;
        }
    }
    /// Reads up to the gateway's close frame, and returns its code; 0 if the connection ends
    /// without a close frame.
    int close_code() {
        while (!read().is_null()) {
        }
        return stream_.reason().code;
    }
    /// The code of the gateway's close frame, if the connection has ended; 0 without a close frame.
    int reason() const { return stream_.reason().code; }
    /// Performs the closing handshake of the protocol, and waits for the gateway's close frame.
    void close() {
        wait([this](auto told) {
            stream_.async_close(boost::beast::websocket::close_code::normal, told);
        });
    }
    /// Closes the connection without a close frame.
    void drop() { stream_.next_layer().close(); }

 private:
    using error_code = boost::system::error_code;

    template <class Start>
    error_code wait(Start start) {
        std::optional<error_code> result;
        start([&result](error_code ec) { result = ec; });
        loop_.restart();
        loop_.run_for(std::chrono::seconds(120));
        if (result) return *result;
        drop();
        loop_.run();
        return boost::asio::error::timed_out;
    }

    boost::asio::io_context loop_;
    boost::beast::websocket::stream<boost::asio::ip::tcp::socket> stream_{loop_};
    boost::beast::websocket::response_type answer_;
    bool is_open_ = false;
};

}  // namespace tandem::testing
