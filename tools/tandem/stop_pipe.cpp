#include "stop_pipe.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace tandem::command {
namespace {

// What the handler may touch.
std::atomic<int> first_signal = 0;
std::atomic<int> wake_up_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void tandem_stop_handler(int signal) {
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, signal)) _exit(128 + signal);
    const int saved = errno;
    [[maybe_unused]] const auto written = ::write(wake_up_fd, "!", 1);
    errno = saved;
}

int make_pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        throw std::system_error(errno, std::generic_category(), "pipe");
    wake_up_fd = ends[1];
    return ends[0];
}

// Blocked calls return with EINTR instead of going on (no SA_RESTART).
void handle(int signal, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

stop_pipe::stop_pipe() : fd_(make_pipe()) {
    first_signal = 0;
    handle(SIGINT, tandem_stop_handler);
    handle(SIGTERM, tandem_stop_handler);
}

stop_pipe::~stop_pipe() {
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    ::close(wake_up_fd.exchange(-1));
    ::close(fd_);
}

int stop_pipe::received() noexcept {
    return first_signal;
}

}  // namespace tandem::command
