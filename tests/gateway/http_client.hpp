#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ssl_st;

namespace tandem::testing {

/// An answer of the gateway. The names of headers are in lower case.
struct http_answer {
    int status = 0;
    std::map<std::string, std::string> headers{};
    std::string body{};

    /// The body as JSON; a discarded value if it is not JSON.
    nlohmann::json parsed() const { return nlohmann::json::parse(body, nullptr, false); }
    /// The data of each event of a stream.
    std::vector<std::string> events() const;
};

/// A blocking connection to 127.0.0.1. Each read and write waits up to 20 s. The answer to a failed
/// request has the status 0.
class http_client {
 public:
    explicit http_client(std::uint16_t port);
    /// Connects with TLS. The gateway must present this certificate (PEM) for 127.0.0.1.
    http_client(std::uint16_t port, const std::string& certificate);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    /// The client sends these headers with every request.
    std::map<std::string, std::string> headers{};

    http_answer get(std::string_view target) { return ask("GET", target, {}); }
    http_answer post(std::string_view target, std::string_view body) {
        return ask("POST", target, body);
    }
    http_answer post(std::string_view target, const nlohmann::json& body) {
        return ask("POST", target, body.dump());
    }
    http_answer ask(std::string_view method, std::string_view target, std::string_view body);

    // Unlike ask(), these functions send a request and read its answer in separate steps.
    void send(std::string_view bytes);
    void send_request(std::string_view method, std::string_view target, std::string_view body);
    http_answer read_answer();
    /// Reads until `text` arrives; false if the connection ends or times out first.
    bool read_until(std::string_view text);
    /// Reads until the other side closes the connection properly. Throws std::runtime_error on a
    /// timeout, on a reset, or if a TLS connection ends without close_notify.
    std::string read_to_end();
    /// Like read_to_end(), but throws only on a timeout.
    std::string read_to_any_end();
    void close();
    /// Closes the connection with RST instead of FIN.
    void reset();

 private:
    enum class ending { none, orderly, cut_off, too_late };

    bool read_more();
    ending why_nothing_came(long n) const;

    int socket_ = -1;
    std::shared_ptr<ssl_st> tls_;
    std::string read_;
    ending ending_ = ending::none;
};

}  // namespace tandem::testing
