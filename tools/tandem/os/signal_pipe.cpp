#include "os/signal_pipe.hpp"

#include "os/exit_status.hpp"
#include "terminal/terminal_modes.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace tandem::command {
namespace {

constexpr std::array stop_signal_numbers{SIGINT, SIGTERM, SIGHUP};

// The only state that the signal handler accesses.
std::atomic<int> first_signal = 0;
std::atomic<int> wake_up_fd = -1;
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void tandem_stop_handler(int signal) {
    int none = 0;
    // A closing terminal sends several SIGHUPs, so a further one must not end the process.
    if (signal == SIGHUP && first_signal != 0) return;
    if (!first_signal.compare_exchange_strong(none, signal)) {
        terminal_modes::restore();
        _exit(by_signal + signal);
    }
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

// Respects an ignored SIGHUP, because nohup keeps the process running after its terminal closes.
bool is_wanted(int signal) {
    struct sigaction before {};
    ::sigaction(signal, nullptr, &before);
    return signal != SIGHUP || before.sa_handler != SIG_IGN;
}

// Does not set SA_RESTART, so that a signal interrupts blocked calls with EINTR.
void handle(int signal, void (*handler)(int)) {
    if (!is_wanted(signal)) return;
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    ::sigaction(signal, &action, nullptr);
}

}  // namespace

signal_pipe::signal_pipe() : fd_(make_pipe()) {
    first_signal = 0;
    for (const int signal : stop_signal_numbers) handle(signal, tandem_stop_handler);
}

signal_pipe::~signal_pipe() {
    for (const int signal : stop_signal_numbers) handle(signal, SIG_DFL);
    ::close(wake_up_fd.exchange(-1));
    ::close(fd_);
}

int signal_pipe::received_signal() noexcept {
    return first_signal;
}

bool signal_pipe::has_hung_up() noexcept {
    return first_signal == SIGHUP;
}

}  // namespace tandem::command
