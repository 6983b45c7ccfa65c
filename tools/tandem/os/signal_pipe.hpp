#pragma once

namespace tandem::command {

/// Delivers SIGINT (Ctrl-C), SIGTERM and SIGHUP (closed terminal) through a descriptor. A second
/// signal other than SIGHUP ends the process immediately, even during a blocked write. Only one
/// object may exist at a time.
class signal_pipe {
 public:
    /// Throws std::system_error if no descriptor is available.
    signal_pipe();
    ~signal_pipe();
    signal_pipe(const signal_pipe&) = delete;
    signal_pipe& operator=(const signal_pipe&) = delete;

    /// Becomes readable when a signal arrives. Non-blocking.
    int fd() const noexcept { return fd_; }
    /// Returns the first signal received; 0 = none.
    static int received_signal() noexcept;
    /// Returns true if the first signal was SIGHUP: the terminal is gone, so I/O errors on it are
    /// expected.
    static bool has_hung_up() noexcept;

 private:
    int fd_;
};

}  // namespace tandem::command
