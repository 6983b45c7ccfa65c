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

/// A llama-server of its own with the talk model, on a free port.
class real_server {
 public:
    /// Why no llama-server can be had here; empty if one can.
    static std::string missing();
    /// Whether its lack is a failure: TANDEM_REQUIRE_REAL_SERVER=1.
    static bool required();

    /// Starts it with these arguments behind the model's, and waits until it is healthy.
    explicit real_server(const std::vector<std::string>& more = {});
    ~real_server();
    real_server(const real_server&) = delete;
    real_server& operator=(const real_server&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    pid_t process() const noexcept { return process_; }
    std::string log() const;
    /// From the log, once every use has ended.
    std::vector<logged_use> finished_uses() const;

 private:
    void spawn(const std::vector<std::string>& more);
    void wait_until_healthy();
    void stop();

    std::string log_file_;
    pid_t process_ = -1;
    std::uint16_t port_ = 0;
};

}  // namespace tandem::testing
