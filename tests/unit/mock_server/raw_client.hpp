#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// A client that exposes exactly what it received from the socket.
namespace tandem::mock::test {

/// One answer, with its chunks joined.
struct answer {
    int status = 0;
    std::string head;
    std::string body;
    bool is_whole = false;  ///< the length matches, or the last chunk has arrived
};

enum class ending { open, closed, reset };

/// Every read throws an exception after ten seconds without data.
class raw_client {
 public:
    explicit raw_client(std::uint16_t port);
    ~raw_client();

    void send(const std::string& bytes);
    void post(const std::string& path, const nlohmann::json& body, const std::string& headers = "");
    void get(const std::string& path, const std::string& headers = "");

    /// Reads until `mark` has arrived. The bytes stay available for read_answer().
    void read_until(const std::string& mark);
    /// Reads until `count` events have arrived.
    void read_events(std::size_t count);
    /// Reads one answer, or the part of it that arrives before the connection ends.
    answer read_answer();
    ending read_end();
    const std::string& received() const;
    /// Whether the server has sent no further bytes and has not ended the connection.
    bool is_silent();

    void close();
    void reset();
    void half_close();

 private:
    struct state;
    ending read_some();
    std::unique_ptr<state> state_;
};

/// Sends one request over its own connection.
answer post(std::uint16_t port, const std::string& path, const nlohmann::json& body,
            const std::string& headers = "");
answer post_text(std::uint16_t port, const std::string& path, const std::string& body);
answer get(std::uint16_t port, const std::string& path, const std::string& headers = "");

/// The JSON values of the `data:` lines.
std::vector<nlohmann::json> events_of(const std::string& body);
/// The text of a stream's events.
std::string content_of(const std::vector<nlohmann::json>& events);

}  // namespace tandem::mock::test
