#include "chat/function_runner.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using outcome = function_result::outcome;

class called_commands : public ::testing::Test {
 protected:
    called_commands() { std::signal(SIGPIPE, SIG_IGN); }
    ~called_commands() override { std::remove(fifo.c_str()); }

    void add(const std::string& name, const std::string& script, duration limit = 20s) {
        functions.push_back({name, {"/bin/sh", "-c", script}, limit});
    }
    std::shared_ptr<function_runner> start(std::vector<std::string> names) {
        const auto runner = std::make_shared<function_runner>(
            ioc.get_executor(), functions,
            [this](const function_result& r) { answered.push_back(r.content); });
        std::vector<tool_call> calls;
        for (auto& name : names)
            calls.push_back({.id = "1", .name = std::move(name), .arguments = R"({"a":1})"});
        runner->start(calls);
        return runner;
    }
    void wait_for(function_runner& runner) {
        boost::asio::co_spawn(ioc, runner.wait(), boost::asio::detached);
        ioc.run_for(30s);
        EXPECT_TRUE(ioc.stopped()) << "something still runs";
    }
    function_result run(const std::string& script, duration limit = 20s) {
        add("f", script, limit);
        const auto runner = start({"f"});
        wait_for(*runner);
        return runner->results().at(0);
    }

    std::string fifo = ::testing::TempDir() + "called_commands_" + std::to_string(::getpid());
    boost::asio::io_context ioc{1};
    std::vector<command_function> functions;
    std::vector<std::string> answered;
};

TEST_F(called_commands, read_the_arguments_and_write_the_result) {
    const auto r = run("echo \"got $(cat)\"; echo noise >&2");
    EXPECT_EQ(r.how, outcome::returned);
    EXPECT_EQ(r.content, R"(got {"a":1})");
    EXPECT_GT(r.took, 0ms);
    EXPECT_THAT(answered, ElementsAre(r.content));
}

TEST_F(called_commands, need_no_shell) {
    functions.push_back({"f", {"echo", "$HOME", "a b"}, 20s});
    const auto runner = start({"f"});
    wait_for(*runner);
    EXPECT_THAT(answered, ElementsAre("$HOME a b"));
}

struct failure_row {
    const char* script;
    const char* result;
};

class failed_commands : public called_commands,
                        public ::testing::WithParamInterface<failure_row> {};

TEST_P(failed_commands, tell_the_model_why) {
    const auto r = run(GetParam().script, 10s);
    EXPECT_EQ(r.how, outcome::failed);
    EXPECT_EQ(r.content, GetParam().result);
    EXPECT_THAT(answered, ElementsAre(r.content));
}

INSTANTIATE_TEST_SUITE_P(
    rows, failed_commands,
    ::testing::Values(failure_row{"echo half; exit 3", "Error: it ended with status 3"},
                      failure_row{"echo no such table >&2; exit 1", "Error: no such table"},
                      failure_row{"kill -TERM $$", "Error: it was ended by signal 15"},
                      failure_row{"printf '\\377'", "Error: its output is not valid UTF-8"},
                      failure_row{"cat /dev/zero", "Error: it wrote more than 64 KiB"}));

TEST_F(called_commands, are_killed_at_their_time_limit) {
    EXPECT_EQ(run("sleep 60", 50ms).content, "Error: it took longer than 0.05 s");
}

TEST_F(called_commands, that_cannot_start_are_a_result_too) {
    functions.push_back({"f", {"/no/such/program"}, 20s});
    const auto runner = start({"f"});
    wait_for(*runner);
    EXPECT_THAT(answered, ElementsAre("Error: /no/such/program cannot be started: "
                                      "No such file or directory"));
}

TEST_F(called_commands, of_unknown_functions_say_so) {
    const auto runner = start({"g"});
    wait_for(*runner);
    EXPECT_EQ(runner->results().at(0).how, outcome::failed);
    EXPECT_THAT(answered, ElementsAre("Error: there is no function \"g\""));
}

// The first program waits for output from the second, so both must run at the same time.
TEST_F(called_commands, run_at_once_and_keep_their_order) {
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    add("listen", "cat '" + fifo + "'");
    add("say", "echo hello > '" + fifo + "'; echo said");
    const auto runner = start({"listen", "say"});
    wait_for(*runner);
    ASSERT_THAT(runner->results(), SizeIs(2));
    EXPECT_EQ(runner->results()[0].content, "hello");
    EXPECT_EQ(runner->results()[1].content, "said");
}

TEST_F(called_commands, have_no_result_if_they_are_stopped) {
    add("f", "sleep 60");
    const auto runner = start({"f"});
    ioc.poll();
    runner->stop();
    wait_for(*runner);
    EXPECT_TRUE(runner->was_stopped());
    EXPECT_EQ(runner->results().at(0).how, outcome::interrupted);
    EXPECT_THAT(answered, IsEmpty());
}

TEST_F(called_commands, do_not_start_after_a_stop) {
    const auto runner = start({});
    runner->stop();
    wait_for(*runner);
    EXPECT_THAT(runner->results(), IsEmpty());
}

}  // namespace
}  // namespace tandem::command
