#include "os/interruptible_line_reader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using tandem::command::interruptible_line_reader;
using outcome = interruptible_line_reader::outcome;

class pipe_ends {
 public:
    pipe_ends() { EXPECT_EQ(::pipe2(ends_.data(), O_CLOEXEC | O_NONBLOCK), 0); }
    ~pipe_ends() {
        close();
        ::close(ends_[0]);
    }
    int fd() const { return ends_[0]; }
    void write(std::string_view text) {
        EXPECT_EQ(::write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void close() {
        if (ends_[1] >= 0) ::close(ends_[1]);
        ends_[1] = -1;
    }

 private:
    std::array<int, 2> ends_{-1, -1};
};

class lines_of_input : public testing::Test {
 protected:
    std::string next() {
        std::string line;
        const auto read = lines_.read_next(line);
        if (read == outcome::too_long) return "(too long)";
        if (read == outcome::end) return "(end)";
        if (read == outcome::stopped) return "(stopped)";
        return line;
    }

    pipe_ends input_;
    pipe_ends stop_;
    interruptible_line_reader lines_{input_.fd(), stop_.fd(), 8};
};

TEST_F(lines_of_input, come_without_their_ends) {
    input_.write("one\n\ntwo\nthree");
    input_.close();
    for (const auto* line : {"one", "", "two", "three", "(end)", "(end)"}) EXPECT_EQ(next(), line);
}

TEST_F(lines_of_input, come_as_soon_as_they_are_whole) {
    input_.write("one\ntw");
    EXPECT_EQ(next(), "one");
    input_.write("o\n");
    EXPECT_EQ(next(), "two");
}

TEST_F(lines_of_input, have_a_greatest_length) {
    input_.write("12345678\n123456789\nok\n123456789");
    input_.close();
    for (const auto* line : {"12345678", "(too long)", "ok", "(too long)", "(end)"})
        EXPECT_EQ(next(), line);
}

TEST_F(lines_of_input, are_read_past_if_they_are_longer_than_any_buffer) {
    input_.write(std::string(50000, 'x'));
    input_.write("xxx\nok\n");
    EXPECT_EQ(next(), "(too long)");
    EXPECT_EQ(next(), "ok");
}

TEST_F(lines_of_input, are_not_waited_for_after_a_stop) {
    stop_.write("!");
    EXPECT_EQ(next(), "(stopped)");
}

TEST_F(lines_of_input, report_why_they_cannot_be_read) {
    const int folder = ::open("/", O_RDONLY | O_CLOEXEC);
    interruptible_line_reader lines(folder, stop_.fd(), 8);
    std::string line;
    EXPECT_EQ(lines.read_next(line), outcome::failed);
    EXPECT_EQ(lines.last_errno(), EISDIR);
    ::close(folder);
}

}  // namespace
