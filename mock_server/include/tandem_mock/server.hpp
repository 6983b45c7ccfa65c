#pragma once

#include "tandem_mock/observations.hpp"
#include "tandem_mock/options.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace tandem::mock {

/// A server that behaves like llama-server, on a thread of its own. All functions are thread-safe.
class server {
 public:
    /// Listens when the constructor returns. Throws std::invalid_argument for options out of range,
    /// boost::system::system_error if the port cannot be had or a PEM file cannot be read.
    explicit server(options o);
    /// As stop().
    ~server();

    server(const server&) = delete;
    server& operator=(const server&) = delete;

    std::uint16_t port() const;
    /// "http://127.0.0.1:8080", of the host that it listens on; "https://…" with PEM files.
    std::string url() const;

    /// Adds a fault after those that are set.
    void inject(fault f);
    /// Takes back all faults that have not happened yet.
    void clear_faults();

    observations observe() const;
    /// Waits until `condition` holds; false if it does not within `limit`. It is called under a
    /// lock whenever something happened, so it must not call the server.
    bool wait_until(const std::function<bool(const observations&)>& condition,
                    std::chrono::milliseconds limit = std::chrono::seconds(10)) const;

    /// Whether the server died of the old crash or of a fault: all connections were reset, the
    /// port is closed.
    bool crashed() const;

    /// Closes the port and all connections, and waits for the thread. May be called again.
    void stop();

 private:
    class impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace tandem::mock
