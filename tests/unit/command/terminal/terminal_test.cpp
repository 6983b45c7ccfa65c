#include "terminal/terminal.hpp"

#include "os/exit_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <limits>
#include <optional>
#include <string>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

using namespace std::chrono_literals;
using tandem::command::lost_output_exit_status;
using tandem::command::terminal;
using testing::HasSubstr;
using testing::IsEmpty;

// A pipe with a non-blocking write end. Another program that shares the pipe may have made it
// non-blocking.
class terminal_output : public testing::Test {
 protected:
    terminal_output() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0); }
    ~terminal_output() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    // Reads `count` bytes and waits for each of them.
    std::string read(std::size_t count) const {
        ::fcntl(ends_[0], F_SETFL, 0);
        std::string text(count, '\0');
        std::size_t size = 0;
        for (ssize_t n = 1; n > 0 && size < count; size += static_cast<std::size_t>(n))
            n = ::read(ends_[0], text.data() + size, count - size);
        return text;
    }

    std::array<int, 2> ends_{};
    // Larger than the capacity of a pipe.
    const std::string text_ = std::string(1 << 20, 'x') + "end";
};

TEST_F(terminal_output, waits_for_a_reader_and_loses_nothing) {
    std::string came;
    terminal t(ends_[1]);
    std::thread reader([&] { came = read(text_.size()); });
    t.print(text_);
    reader.join();
    EXPECT_EQ(came, text_);
    EXPECT_THAT(t.failure(), IsEmpty());
}

TEST_F(terminal_output, does_not_wait_for_ever) {
    terminal t(ends_[1], 2, 1ms);
    t.print(text_);
    EXPECT_THAT(t.failure(), HasSubstr("cannot write to stdout: no data was read for 1ms"));
}

TEST_F(terminal_output, is_lost_on_a_stderr_that_nobody_reads) {
    terminal t(1, ends_[1], 1ms);
    t.print_error(text_);
    EXPECT_THAT(t.failure(), IsEmpty());
}

TEST_F(terminal_output, that_is_no_terminal_has_no_width) {
    terminal t(ends_[1], ends_[1]);
    EXPECT_EQ(t.out_width(), std::numeric_limits<int>::max());
    EXPECT_EQ(t.err_width(), std::numeric_limits<int>::max());
}

TEST_F(terminal_output, tells_a_reader_that_has_left_from_other_failures) {
    const auto old = std::signal(SIGPIPE, SIG_IGN);
    ::close(std::exchange(ends_[0], -1));
    terminal left(ends_[1]);
    left.print("x");
    EXPECT_TRUE(left.is_pipe_closed());
    EXPECT_EQ(lost_output_exit_status(left), 128 + SIGPIPE);
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    terminal lost(full);
    lost.print("x");
    EXPECT_FALSE(lost.is_pipe_closed());
    EXPECT_EQ(lost_output_exit_status(lost), 1);
    EXPECT_EQ(lost_output_exit_status(terminal()), std::nullopt);
    ::close(full);
    std::signal(SIGPIPE, old);
}

TEST_F(terminal_output, tells_a_failure_to_draw_at_the_next_print) {
    const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
    terminal t(full);
    int told = 0;
    t.on_failure([&told] { ++told; });
    t.send_control_sequence("\x1b[K");
    EXPECT_THAT(t.failure(), HasSubstr("cannot write to stdout"));
    EXPECT_EQ(told, 0);
    t.print("x");
    EXPECT_EQ(told, 1);
    t.print("x");
    EXPECT_EQ(told, 1) << "once is enough";
    ::close(full);
}

class bottom_line : public testing::TestWithParam<const char*> {
 protected:
    bottom_line() : old_(std::getenv("TERM") ? std::getenv("TERM") : "") {
        ::setenv("TERM", GetParam(), 1);
        ::grantpt(master_);
        ::unlockpt(master_);
        slave_ = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    }
    ~bottom_line() override {
        ::setenv("TERM", old_.c_str(), 1);
        ::close(slave_);
        ::close(master_);
    }

    // The bytes that the terminal received.
    std::string shown() const {
        std::array<char, 256> bytes{};
        const auto n = ::read(master_, bytes.data(), bytes.size());
        return {bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0))};
    }

    const std::string old_;
    const int master_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
    int slave_ = -1;
};

using dumb_terminal = bottom_line;
using capable_terminal = bottom_line;

TEST_P(dumb_terminal, has_no_line_that_is_rewritten) {
    terminal t(slave_, slave_);
    t.show_status("busy");
    EXPECT_FALSE(t.out_is_terminal());
    EXPECT_EQ(shown(), "");
}

TEST_P(capable_terminal, has_a_line_that_is_rewritten) {
    terminal t(slave_, slave_);
    t.show_status("busy");
    EXPECT_TRUE(t.out_is_terminal());
    EXPECT_EQ(shown(), "busy");
}

TEST_P(capable_terminal, has_the_width_that_it_tells) {
    terminal t(slave_, slave_);
    EXPECT_EQ(t.out_width(), 80) << "the terminal reports no width yet";
    const winsize size{.ws_row = 24, .ws_col = 132, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(slave_, TIOCSWINSZ, &size), 0);
    EXPECT_EQ(t.out_width(), 132);
}

INSTANTIATE_TEST_SUITE_P(by_name, dumb_terminal, testing::Values("dumb"));
INSTANTIATE_TEST_SUITE_P(by_name, capable_terminal, testing::Values("xterm", ""));

}  // namespace
