#include "terminal/terminal.hpp"

#include "text/terminal_text.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

namespace tandem::command {
namespace {

constexpr int default_width = 80;

// Waits until a non-blocking descriptor accepts data. Returns false after `write_timeout`.
bool wait_for_reader(int fd, std::chrono::milliseconds write_timeout) noexcept {
    using clock = std::chrono::steady_clock;
    const auto end = clock::now() + write_timeout;
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - clock::now());
        pollfd wanted{.fd = fd, .events = POLLOUT, .revents = 0};
        const int ready = ::poll(&wanted, 1, static_cast<int>(std::max(left.count(), {})));
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}

// Returns 0 or the errno of the failed write.
int write_all(int fd, std::string_view text, std::chrono::milliseconds write_timeout) noexcept {
    while (!text.empty()) {
        const auto n = ::write(fd, text.data(), text.size());
        if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
        if (n >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) return errno;
        if (!wait_for_reader(fd, write_timeout)) return EAGAIN;
    }
    return 0;
}

bool is_terminal(int fd) noexcept {
    const char* kind = std::getenv("TERM");
    return ::isatty(fd) == 1 && !(kind && std::string_view(kind) == "dumb");
}

int width_of(int fd) noexcept {
    if (::isatty(fd) != 1) return std::numeric_limits<int>::max();
    winsize size{};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : default_width;
}

// Color sequences have no width.
std::string without_colors(std::string_view text) {
    std::string result;
    for (auto at = text.find("\x1b["); at != text.npos; at = text.find("\x1b[")) {
        result += text.substr(0, at);
        text.remove_prefix(std::min(text.find('m', at), text.size() - 1) + 1);
    }
    return result + std::string(text);
}

int column_after(int column, std::string_view text) {
    const auto line = text.rfind('\n');
    if (line != text.npos) column = 0;
    return column + count_columns(without_colors(text.substr(line + 1)));
}

}  // namespace

// The failure handler may print, so it runs without the mutex.
void terminal::print(std::string_view text) {
    if (!write_out(text) && on_failure_) on_failure_();
}

// Returns false if this or an earlier write has failed and the failure was not reported yet.
bool terminal::write_out(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (text.empty()) return true;
    auto all = leave_bottom();
    all += text;
    column_ = column_after(column_, text);
    send(all + enter_bottom());
    return !std::exchange(has_unreported_failure_, false);
}

void terminal::send(std::string_view text) {
    if (!failure_.empty() || text.empty()) return;
    hide_status();
    const int fault = write_all(out_, text, write_timeout_);
    draw_status();
    if (fault == 0) return;
    has_unreported_failure_ = true;
    reader_has_left_ = fault == EPIPE;
    failure_ = "cannot write to stdout: " +
               (fault == EAGAIN ? "no data was read for " + tandem::to_string(write_timeout_)
                                : std::strerror(fault));
}

void terminal::print_error(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (bottom_ && err_is_terminal()) {
        send(leave_bottom() + (column_ > 0 ? "\n" : ""));
        column_ = 0;
    }
    hide_status();
    write_error(std::string(line) + '\n');
    draw_status();
    send(enter_bottom());
}

void terminal::send_control_sequence(std::string_view sequence) {
    const std::lock_guard lock(mutex_);
    send(sequence);
}

void terminal::set_bottom(bottom_lines* lines) {
    const std::lock_guard lock(mutex_);
    send(leave_bottom());
    bottom_ = lines;
    send(enter_bottom());
}

void terminal::update_bottom() {
    const std::lock_guard lock(mutex_);
    if (!bottom_) return;
    if (bottom_->is_shown() != has_bottom_)
        send(has_bottom_ ? leave_bottom() : enter_bottom());
    else if (has_bottom_)
        send(bottom_->draw_changes());
}

// Moves the cursor back to the end of the unfinished line.
std::string terminal::leave_bottom() {
    if (!std::exchange(has_bottom_, false)) return {};
    auto text = bottom_->erase();
    if (column_ > 0)
        text += fmt::format("\x1b[A\r\x1b[{}C", std::min(column_, std::max(1, out_width() - 1)));
    return text;
}

std::string terminal::enter_bottom() {
    has_bottom_ = bottom_ && bottom_->is_shown();
    if (!has_bottom_) return {};
    return (column_ > 0 ? "\n" : "") + bottom_->draw();
}

// Ignores a failure, because there is no place to report it. After that, it stops writing, because
// each write could block for up to `write_timeout`.
void terminal::write_error(std::string_view text) {
    if (!err_failed_) err_failed_ = write_all(err_, text, write_timeout_) != 0;
}

void terminal::show_status(std::string text) {
    const std::lock_guard lock(mutex_);
    if (!err_is_terminal() || text == status_) return;
    hide_status();
    status_ = std::move(text);
    draw_status();
}

bool terminal::out_is_terminal() const noexcept {
    return is_terminal(out_);
}

bool terminal::err_is_terminal() const noexcept {
    return is_terminal(err_);
}

int terminal::out_width() const noexcept {
    return width_of(out_);
}

int terminal::err_width() const noexcept {
    return width_of(err_);
}

}  // namespace tandem::command
