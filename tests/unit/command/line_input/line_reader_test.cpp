#include "line_input/line_reader.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace tandem::command {
namespace {

// The signals that a thread blocks, as a bit mask. The lowest bit is signal 1.
unsigned long long blocked_signals(const std::filesystem::path& thread) {
    std::ifstream in(thread / "status");
    const std::string name = "SigBlk:";
    for (std::string line; std::getline(in, line);)
        if (line.starts_with(name)) return std::stoull(line.substr(name.size()), nullptr, 16);
    return 0;
}

bool blocks(unsigned long long signals, int signal) {
    return ((signals >> (signal - 1)) & 1) != 0;
}

bool has_thread_that_only_sigttin_reaches() {
    const std::filesystem::directory_iterator threads("/proc/self/task");
    return std::any_of(std::filesystem::begin(threads), std::filesystem::end(threads),
                       [](const auto& thread) {
                           const auto signals = blocked_signals(thread.path());
                           return blocks(signals, SIGTERM) && !blocks(signals, SIGTTIN);
                       });
}

TEST(a_line_reader, can_be_stopped_if_it_reads_in_the_background) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    ASSERT_EQ(::write(ends[1], "x\n", 2), 2);
    {
        boost::asio::io_context ioc;
        auto work = boost::asio::make_work_guard(ioc);
        line_reader reader(ioc.get_executor(), ends[0], line_reader::read_unit::lines);
        reader.on_line([&work](const line_read_result&) { work.reset(); });
        reader.request_line();
        ioc.run();
        EXPECT_TRUE(has_thread_that_only_sigttin_reaches());
    }
    ::close(ends[0]);
    ::close(ends[1]);
}

}  // namespace
}  // namespace tandem::command
