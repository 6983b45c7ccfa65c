#include "terminal/terminal_modes.hpp"

#include <atomic>
#include <cerrno>
#include <termios.h>
#include <unistd.h>

namespace tandem::command::terminal_modes {
namespace {

termios kept_modes;
std::atomic<int> kept_fd = -1;

}  // namespace

void save_modes(int fd) noexcept {
    if (::tcgetattr(fd, &kept_modes) == 0) kept_fd = fd;
}

void restore() noexcept {
    const int fd = kept_fd.exchange(-1);
    if (fd < 0) return;
    const int saved = errno;
    ::tcsetattr(fd, TCSANOW, &kept_modes);
    [[maybe_unused]] const auto written =
        ::write(fd, disable_bracketed_paste.data(), disable_bracketed_paste.size());
    errno = saved;
}

}  // namespace tandem::command::terminal_modes
