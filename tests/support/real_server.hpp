#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::testing {

/// One time a slot of the server ran a request, as the server's own log tells it.
struct logged_use {
    int slot = 0;
    int task = 0;
    /// Since the start of the server.
    std::chrono::microseconds start{};
    std::optional<std::chrono::microseconds> end{};
};

/// The uses in a log of llama-server with timestamps, oldest first.
std::vector<logged_use> uses_in_log(const std::string& log);

/// A llama-server of its own with the talk model, on a free port, which it keeps when it is started
/// again. It dies with the thread that started it.
class real_server {
 public:
    /// Why no llama-server can be had here; empty if one can.
    static std::string missing();
    /// Whether its lack is a failure: TANDEM_REQUIRE_REAL_SERVER=1.
    static bool required();

    /// Starts it with these arguments after the model's, and waits until it is healthy.
    explicit real_server(std::vector<std::string> more = {});
    ~real_server();
    real_server(const real_server&) = delete;
    real_server& operator=(const real_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::uint16_t port() const noexcept { return port_; }
    pid_t process() const noexcept { return process_; }
    /// Of the process that was started last.
    std::string log() const;
    /// From the log, once every use has ended.
    std::vector<logged_use> finished_uses() const;

    /// As `kill -9`: nobody listens at its port when this returns.
    void kill_hard();
    /// Starts it again after that, and waits until it is healthy.
    void start_again();
    /// Stops the process where it is: connections are made still, and nothing is answered.
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
