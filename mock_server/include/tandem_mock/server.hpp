#pragma once

#include "tandem_mock/observations.hpp"
#include "tandem_mock/options.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tandem::mock {

/// A server that behaves like llama-server, on its own thread. All functions are thread-safe.
class server {
 public:
    /// Listens when the constructor returns. Throws std::invalid_argument for options out of range,
    /// boost::system::system_error if the port is unavailable or a PEM file is unreadable.
    explicit server(options o);
    /// Calls stop().
    ~server();

    server(const server&) = delete;
    server& operator=(const server&) = delete;

    std::uint16_t port() const;
    /// Contains options::host and the port: "http://127.0.0.1:8080"; "https://…" if PEM files are
    /// set.
    std::string url() const;

    /// Adds a fault; earlier faults take precedence.
    void inject(fault f);
    /// Removes all faults that have not occurred yet.
    void clear_faults();

    observations observe() const;
    /// Waits until `condition` holds; returns false after `limit`. The condition is evaluated under
    /// a mutex after each change of the observations, so it must not call the server.
    bool wait_until(const std::function<bool(const observations&)>& condition,
                    std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

    /// Whether the server died of the old crash or of a fault. If so, all connections were reset,
    /// and the port is closed.
    bool crashed() const;

    /// Closes the port and all connections, and joins the thread. May be called again.
    void stop();

 private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace tandem::mock
