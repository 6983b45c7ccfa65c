#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// One run of a request on a slot, according to the server's log.
struct logged_slot_use {
    int slot = 0;
    int task = 0;
    /// Both times are measured from the start of the server.
    std::chrono::microseconds start{};
    std::optional<std::chrono::microseconds> end{};
};

/// The slot uses in a llama-server log with timestamps, oldest first.
std::vector<logged_slot_use> parse_slot_uses(const std::string& log);

/// A llama-server process with the talk model on a free port. A restart keeps the port. The process
/// dies with the thread that started it.
class real_server {
 public:
    /// The reason why no llama-server is available; empty if a llama-server is available.
    static std::string why_unavailable();
    /// Whether a missing llama-server is a failure: true if TANDEM_REQUIRE_REAL_SERVER=1 is set.
    static bool is_required();

    /// Starts the server with these arguments after the default ones. Waits until it is healthy.
    explicit real_server(std::vector<std::string> more = {});
    ~real_server();
    real_server(const real_server&) = delete;
    real_server& operator=(const real_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::uint16_t port() const noexcept { return port_; }
    pid_t process() const noexcept { return process_; }
    /// The log of the process that was started last.
    std::string log() const;
    /// Waits until every use in the log has ended, and returns the uses.
    std::vector<logged_slot_use> finished_uses() const;

    /// Kills the process like `kill -9`. Nothing listens on the port when this function returns.
    void kill_hard();
    /// Starts the server again after kill_hard(), and waits until it is healthy.
    void start_again();
    /// Suspends the process. Clients can still connect, but receive no answer.
    void freeze();
    void thaw();

 private:
    void spawn();
    void wait_until_healthy();
    void stop();
    bool has_ended();

    std::vector<std::string> more_;
    std::string log_file_;
    std::size_t log_start_ = 0;
    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace tandem::testing
