#include "terminal.hpp"

#include <cerrno>
#include <cstring>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr int usual_width = 80;

// 0, or the errno of the write that failed.
int write_all(int fd, std::string_view text) noexcept {
    while (!text.empty()) {
        const auto n = ::write(fd, text.data(), text.size());
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

int width_of(int fd) noexcept {
    winsize size{};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : usual_width;
}

}  // namespace

void terminal::print(std::string_view text) {
    if (!failure_.empty() || text.empty()) return;
    hide_status();
    const int fault = write_all(out_, text);
    draw_status();
    if (fault == 0) return;
    failure_ = std::string("cannot write to stdout: ") + std::strerror(fault);
    if (on_failure_) on_failure_();
}

void terminal::print_error(std::string_view line) {
    hide_status();
    // There is nobody left to tell of a failure here.
    write_all(err_, std::string(line) + '\n');
    draw_status();
}

void terminal::show_status(std::string text) {
    if (!err_is_terminal() || text == status_) return;
    hide_status();
    status_ = std::move(text);
    draw_status();
}

void terminal::hide_status() {
    if (!status_.empty()) write_all(err_, "\r\x1b[K");
}

void terminal::draw_status() {
    if (!status_.empty()) write_all(err_, status_);
}

bool terminal::out_is_terminal() const noexcept {
    return ::isatty(out_) == 1;
}

bool terminal::err_is_terminal() const noexcept {
    return ::isatty(err_) == 1;
}

int terminal::out_width() const noexcept {
    return width_of(out_);
}

int terminal::err_width() const noexcept {
    return width_of(err_);
}

}  // namespace tandem::command
