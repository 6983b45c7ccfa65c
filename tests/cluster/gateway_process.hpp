#pragma once

#include "gateway/server/gateway_server.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace tandem::testing {

/// A gateway in its own process. The destructor kills the process. The constructor forks, so create
/// the object while the test has only one thread, and use it on that thread.
class gateway_process {
 public:
    /// `drain`: how long replies may continue after SIGTERM.
    explicit gateway_process(gateway::gateway_options options,
                             std::chrono::nanoseconds drain = std::chrono::seconds(20)) {
        int ends[2];
        if (::pipe(ends) != 0) std::abort();
        pid_ = ::fork();
        if (pid_ < 0) std::abort();
        if (pid_ == 0) run(std::move(options), drain, ends[1]);
        ::close(ends[1]);
        if (::read(ends[0], &port_, sizeof port_) != sizeof port_) port_ = 0;
        ::close(ends[0]);
    }
    ~gateway_process() { kill(); }
    gateway_process(const gateway_process&) = delete;
    gateway_process& operator=(const gateway_process&) = delete;

    std::uint16_t port() const { return port_; }
    void kill() {
        send_signal(SIGKILL);
        wait();
    }
    void suspend() { send_signal(SIGSTOP); }
    void resume() { send_signal(SIGCONT); }
    /// Stops the process as a service manager does.
    void terminate() { send_signal(SIGTERM); }
    /// Waits for the end of the process, and returns its exit status.
    int wait() {
        int status = -1;
        if (pid_ > 0) ::waitpid(pid_, &status, 0);
        pid_ = none;
        return status;
    }

 private:
    static constexpr pid_t none = 0;

    // With a process id of 0 or less, kill() would signal several processes.
    void send_signal(int signal) {
        if (pid_ > 0) ::kill(pid_, signal);
    }

    [[noreturn]] static void run(gateway::gateway_options options, std::chrono::nanoseconds drain,
                                 int told) {
        boost::asio::io_context loop{1};
        gateway::gateway_server server(loop, std::move(options));
        boost::asio::signal_set signals(loop, SIGTERM);
        signals.async_wait([&](auto, int) { server.stop(drain, [&] { loop.stop(); }); });
        const auto port = server.port();
        if (::write(told, &port, sizeof port) != sizeof port) std::abort();
        loop.run();
        ::_exit(0);
    }

    pid_t pid_ = none;
    std::uint16_t port_ = 0;
};

}  // namespace tandem::testing
