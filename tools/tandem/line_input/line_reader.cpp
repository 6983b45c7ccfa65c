#include "line_input/line_reader.hpp"

#include "line_input/terminal_controls.hpp"
#include "os/interruptible_line_reader.hpp"

#include <boost/asio/post.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>

namespace tandem::command {
namespace {

// The kernel silently truncates a typed line to this length in line mode.
constexpr std::size_t max_typed_bytes = 4094;

int make_event() {
    const int fd = ::eventfd(0, EFD_CLOEXEC);
    if (fd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
    return fd;
}

line_read_result::kind kind_of(interruptible_line_reader::outcome o) {
    if (o == interruptible_line_reader::outcome::line) return line_read_result::kind::line;
    return o == interruptible_line_reader::outcome::too_long ? line_read_result::kind::too_long
                                                             : line_read_result::kind::end;
}

// The event loop's thread handles signals. SIGTTIN stays unblocked, because it must stop a
// background process that reads; with SIGTTIN blocked, the read would fail.
void block_signals() {
    sigset_t blocked;
    sigfillset(&blocked);
    sigdelset(&blocked, SIGTTIN);
    ::pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
}

}  // namespace

line_reader::line_reader(boost::asio::any_io_executor executor, int fd, read_unit what)
    : executor_(std::move(executor)), what_(what), stop_fd_(make_event()) {
    thread_ = std::thread([this, fd] { read_lines_on_thread(fd); });
}

line_reader::~line_reader() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_one();
    constexpr std::uint64_t one = 1;
    [[maybe_unused]] const auto written = ::write(stop_fd_, &one, sizeof one);
    thread_.join();
    ::close(stop_fd_);
}

void line_reader::request_line() {
    {
        const std::lock_guard lock(mutex_);
        ++asked_;
    }
    changed_.notify_one();
}

// Returns false if reading must stop.
bool line_reader::wait_until_asked() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return stopping_ || asked_ > 0; });
    if (stopping_) return false;
    --asked_;
    return true;
}

void line_reader::make_line(line_read_result& read) const {
    // Files from other systems end lines with "\r\n".
    if (read.text.ends_with('\r')) read.text.pop_back();
    read.max_bytes = max_line_bytes;
    if (what_ != read_unit::typed_lines) return;
    read.max_bytes = max_typed_bytes;
    if (read.text.size() > max_typed_bytes) read.what = line_read_result::kind::too_long;
    read.text = strip_controls(read.text);
}

void line_reader::read_lines_on_thread(int fd) {
    block_signals();
    interruptible_line_reader lines(fd, stop_fd_, max_line_bytes);
    for (int number = 1; wait_until_asked(); ++number) {
        line_read_result read;
        read.number = number;
        const auto outcome = what_ == read_unit::bytes ? lines.read_available(read.text)
                                                       : lines.read_next(read.text);
        if (outcome == interruptible_line_reader::outcome::stopped) return;
        read.what = kind_of(outcome);
        if (what_ != read_unit::bytes) make_line(read);
        read.at = std::chrono::steady_clock::now();
        if (outcome == interruptible_line_reader::outcome::failed)
            read.fault = std::strerror(lines.last_errno());
        boost::asio::post(executor_,
                          [this, r = std::move(read)]() mutable { on_line_(std::move(r)); });
    }
}

}  // namespace tandem::command
