#include "terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using tandem::command::terminal;
using testing::HasSubstr;
using testing::IsEmpty;

// A pipe whose writing end does not block, as programs that share it may leave it.
class terminal_output : public testing::Test {
 protected:
    terminal_output() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0); }
    ~terminal_output() override {
        ::close(ends_[0]);
        ::close(ends_[1]);
    }

    // So many bytes, waiting for each.
    std::string read(std::size_t count) const {
        ::fcntl(ends_[0], F_SETFL, 0);
        std::string text(count, '\0');
        std::size_t size = 0;
        for (ssize_t n = 1; n > 0 && size < count; size += static_cast<std::size_t>(n))
            n = ::read(ends_[0], text.data() + size, count - size);
        return text;
    }

    std::array<int, 2> ends_{};
    // More than a pipe holds.
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
    EXPECT_THAT(t.failure(), HasSubstr("cannot write to stdout: nobody has read it for 1ms"));
}

TEST_F(terminal_output, is_lost_on_a_stderr_that_nobody_reads) {
    terminal t(1, ends_[1], 1ms);
    t.print_error(text_);
    EXPECT_THAT(t.failure(), IsEmpty());
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

    // What the terminal was sent.
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

INSTANTIATE_TEST_SUITE_P(by_name, dumb_terminal, testing::Values("dumb"));
INSTANTIATE_TEST_SUITE_P(by_name, capable_terminal, testing::Values("xterm", ""));

}  // namespace
