#include "os/input_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <fcntl.h>
#include <future>
#include <string>
#include <sys/ioctl.h>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;
using tandem::command::read_file;

// Replaces stdin with a non-blocking pipe. Another program that shares the pipe may have made it
// non-blocking.
class stdin_that_does_not_block : public testing::Test {
 protected:
    stdin_that_does_not_block() {
        EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0);
        ::dup2(ends_[0], STDIN_FILENO);
    }
    ~stdin_that_does_not_block() override {
        ::dup2(old_, STDIN_FILENO);
        ::close(ends_[0]);
        ::close(old_);
    }

    const int old_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
    std::array<int, 2> ends_{};
};

TEST_F(stdin_that_does_not_block, is_read_to_its_end) {
    constexpr std::size_t bytes = 1000;
    auto file = std::async(std::launch::async, [] { return read_file("-", bytes); });
    // Write the next byte only when the pipe is empty, so that the reader has to wait for it.
    for (std::size_t i = 0; i < bytes; ++i) {
        EXPECT_EQ(::write(ends_[1], "x", 1), 1);
        for (int left = 1; left > 0 && file.wait_for(0s) == std::future_status::timeout;)
            ::ioctl(ends_[0], FIONREAD, &left);
    }
    ::close(ends_[1]);
    const auto content = file.get();
    EXPECT_EQ(content.text, std::string(bytes, 'x'));
    EXPECT_EQ(content.fault, "");
}

}  // namespace
