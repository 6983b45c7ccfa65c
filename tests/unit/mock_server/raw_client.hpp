#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

// A client that shows what really came over the socket.
namespace tandem::mock::test {

/// A whole answer, chunks put together.
struct answer {
    int status = 0;
    std::string head;
    std::string body;
    bool is_whole = false;  ///< the length is right, or the last chunk came
};

/// How a connection ended.
enum class ending { open, closed, reset };

/// Every read gives up after ten seconds, by an exception.
class raw_client {
 public:
    explicit raw_client(std::uint16_t port);
    ~raw_client();

    void send(const std::string& bytes);
    void post(const std::string& path, const nlohmann::json& body, const std::string& headers = "");
    void get(const std::string& path, const std::string& headers = "");

    /// Reads until `mark` came; what was read stays for read_answer().
    void read_until(const std::string& mark);
    /// Reads until so many events came.
    void read_events(std::size_t count);
    /// Reads one answer, or what comes of it before the connection ends.
    answer read_answer();
    /// Reads to the end of the connection.
    ending read_end();
    const std::string& received() const;
    /// Whether nothing has come that was not read yet.
    bool is_silent();

    void close();
    void reset();
    void half_close();

 private:
    struct state;
    ending read_some();
    std::unique_ptr<state> state_;
};

/// One request over a connection of its own.
answer post(std::uint16_t port, const std::string& path, const nlohmann::json& body,
            const std::string& headers = "");
answer post_text(std::uint16_t port, const std::string& path, const std::string& body);
answer get(std::uint16_t port, const std::string& path, const std::string& headers = "");

/// The JSON of the `data:` lines.
std::vector<nlohmann::json> events_of(const std::string& body);
/// The text of a stream.
std::string content_of(const std::vector<nlohmann::json>& events);

}  // namespace tandem::mock::test
