#include "terminal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
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

}  // namespace
