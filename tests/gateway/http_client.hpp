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

/// What a client of the gateway got. Names of headers are in lower case.
struct http_answer {
    int status = 0;
    std::map<std::string, std::string> headers{};
    std::string body{};

    /// The body as JSON; null if it is none.
    nlohmann::json parsed() const { return nlohmann::json::parse(body, nullptr, false); }
    /// The data of each event of a stream.
    std::vector<std::string> events() const;
};

/// A connection to 127.0.0.1 that waits for what it asks, up to 20 s; what fails gives an answer of
/// status 0.
class http_client {
 public:
    explicit http_client(std::uint16_t port);
    /// By TLS, where the gateway has this certificate (PEM) for 127.0.0.1.
    http_client(std::uint16_t port, const std::string& certificate);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    /// Sent with every request.
    std::map<std::string, std::string> headers{};

    http_answer get(std::string_view target) { return ask("GET", target, {}); }
    http_answer post(std::string_view target, std::string_view body) {
        return ask("POST", target, body);
    }
    http_answer post(std::string_view target, const nlohmann::json& body) {
        return ask("POST", target, body.dump());
    }
    http_answer ask(std::string_view method, std::string_view target, std::string_view body);

    // In parts.
    void send(std::string_view bytes);
    void send_request(std::string_view method, std::string_view target, std::string_view body);
    http_answer read_answer();
    /// Reads until this text has come; false if the connection ends, or time.
    bool read_until(std::string_view text);
    /// Whatever comes until the other side closes in order; throws std::runtime_error where it does
    /// not in time, resets the connection, or ends TLS silently.
    std::string read_to_end();
    /// The same where a reset is as good an end.
    std::string read_to_any_end();
    void close();
    /// With RST instead of FIN.
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
