#pragma once

namespace tandem::command {

/// Ctrl-C, SIGTERM and SIGHUP (a terminal that is closed) as a descriptor to wait for. The second
/// signal ends the process at once, also while it is blocked writing its output, except a SIGHUP.
/// One object at a time.
class stop_pipe {
 public:
    /// Throws std::system_error if there are no descriptors left.
    stop_pipe();
    ~stop_pipe();
    stop_pipe(const stop_pipe&) = delete;
    stop_pipe& operator=(const stop_pipe&) = delete;

    /// Has something to read once a signal came. Does not block.
    int fd() const noexcept { return fd_; }
    /// The first signal that came; 0 = none.
    static int received() noexcept;
    /// It was SIGHUP: that the terminal takes and gives nothing any more is no fault then.
    static bool has_hung_up() noexcept;

 private:
    int fd_;
};

}  // namespace tandem::command
