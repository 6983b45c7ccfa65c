#include "support/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace {

using tandem::testing::child_process;
using testing::HasSubstr;
using testing::StartsWith;

child_process start(std::vector<std::string> args, std::string input = {}) {
    args.insert(args.begin(), "segment");
    return child_process(TANDEM_COMMAND, {.args = std::move(args), .input = std::move(input)});
}
child_process::ended run(std::vector<std::string> args, std::string input = {}) {
    return start(std::move(args), std::move(input)).wait();
}

TEST(segment, answers_each_line) {
    const auto r = run({}, R"({"tokens": ["Hi", ".", " You"], "lang": "en"}
{"start": true}
{"token": "Ok"}
{"end": true}
)");
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.out,
              "{\"chunks\":[\"Hi.\",\" You\"],\"at\":[3,4]}\n"
              "{\"chunks\":[]}\n{\"chunks\":[\"Ok\"]}\n");
    EXPECT_EQ(r.err, "");
}

TEST(segment, has_nothing_to_say_of_no_input) {
    const auto r = run({});
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.out + r.err, "");
}

TEST(segment, continues_after_a_bad_line_and_fails_at_the_end) {
    const auto r = run({"-"}, "Hello\n{\"tokens\": [\"a\"]}");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.out,
              "{\"chunks\":[],\"error\":\"line 1: not valid JSON at byte 1\"}\n"
              "{\"chunks\":[\"a\"],\"at\":[2]}\n");
    EXPECT_THAT(r.err, StartsWith("tandem segment: 1 of the lines could not be used"));
    EXPECT_THAT(r.err, HasSubstr("use --text for plain text"));
}

TEST(segment, reads_a_line_of_a_megabyte) {
    const std::string token(1u << 20, 'x');
    EXPECT_EQ(run({}, "{\"token\": \"" + token + "\"}\n{\"end\": true}\n").out,
              "{\"chunks\":[]}\n{\"chunks\":[\"" + token + "\"]}\n");
}

TEST(segment, knows_the_rule_and_the_language_of_its_flags) {
    constexpr auto title = R"({"tokens": ["Dr", ".", " No"]})";
    EXPECT_THAT(run({"--rule", "classic"}, title).out, HasSubstr(R"(["Dr."," No"])"));
    EXPECT_THAT(run({"--rule", "spoken"}, title).out, HasSubstr(R"(["Dr. No"])"));
    constexpr auto date = R"({"tokens": ["Am", " 14", ".", " Mai"]})";
    EXPECT_THAT(run({"--language", "de"}, date).out, HasSubstr(R"(["Am 14. Mai"])"));
    EXPECT_THAT(run({"--language", "en"}, date).out, HasSubstr(R"(["Am 14."," Mai"])"));
}

TEST(segment, shows_the_sentences_of_a_text) {
    const auto r = run({"--text"}, "Dr. No came. \"Hi!\"\nHe sat\xFF down. And");
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.out, "Dr. No came.\n\"Hi!\"\nHe sat\xEF\xBF\xBD down.\nAnd\n");
}

TEST(segment, names_a_file_that_cannot_be_read) {
    for (const auto& [file, why] :
         {std::pair{"/nowhere/x", "No such file or directory"}, std::pair{"/", "Is a directory"}}) {
        const auto r = run({file});
        EXPECT_EQ(r.status, 2);
        EXPECT_EQ(r.err, std::string("tandem segment: ") + file + ": " + why + "\n");
    }
}

TEST(segment, refuses_bad_flags) {
    const auto r = run({"--rule", "new"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--rule is new; it must be classic or spoken"));
}

TEST(segment, reports_that_the_disk_is_full) {
    child_process child(
        TANDEM_COMMAND,
        {.args = {"segment"}, .input = "{\"tokens\": [\"a\"]}\n", .out_file = "/dev/full"});
    const auto r = child.wait();
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("cannot write to stdout: No space left on device"));
}

// The command reads a named pipe, which the test writes line by line.
class segment_dialogue : public testing::Test {
 protected:
    segment_dialogue() {
        EXPECT_EQ(::mkfifo(path_.c_str(), 0600), 0);
        fd_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
    }
    ~segment_dialogue() override {
        ::close(fd_);
        std::remove(path_.c_str());
    }
    void say(std::string_view line) {
        EXPECT_EQ(::write(fd_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    }

    std::string path_ = testing::TempDir() + "segment_test_" + std::to_string(::getpid());
    int fd_ = -1;
};

TEST_F(segment_dialogue, is_answered_line_by_line) {
    auto child = start({path_});
    say("{\"start\":true}\n{\"token\":\"Hi\"}\n");
    EXPECT_EQ(child.read_line(), R"({"chunks":[]})");
    say("{\"token\":\"! \"}\n");
    EXPECT_EQ(child.read_line(), R"({"chunks":[]})");
    say("{\"token\":\"You\"}\n");
    EXPECT_EQ(child.read_line(), R"({"chunks":["Hi!"]})");
}

TEST_F(segment_dialogue, shows_the_sentences_of_a_text_as_they_come) {
    auto child = start({"--text", path_});
    say("One. Two.\nThree.\n");
    EXPECT_EQ(child.read_line(), "One.");
    EXPECT_EQ(child.read_line(), "Two.");
}

TEST_F(segment_dialogue, ends_quietly_when_nobody_reads_the_answers) {
    auto child = start({path_});
    say("{\"token\":\"Hi\"}\n");
    child.read_line();
    child.close_stdout();
    say("{\"token\":\"Hi\"}\n");
    const auto r = child.wait();
    EXPECT_EQ(r.status, 128 + SIGPIPE);
    EXPECT_EQ(r.err, "");
}

TEST_F(segment_dialogue, is_ended_by_a_signal) {
    for (const int signal : {SIGINT, SIGTERM}) {
        auto child = start({path_});
        say("{\"token\":\"Hi\"}\n");
        child.read_line();
        child.send_signal(signal);
        const auto r = child.wait();
        EXPECT_EQ(r.status, 128 + signal);
        EXPECT_EQ(r.err, "");
    }
}

TEST_F(segment_dialogue, keeps_the_rest_of_a_text_that_is_stopped) {
    auto child = start({"--text", path_});
    say("One. Two.\nThree and\n");
    child.read_line();
    child.send_signal(SIGINT);
    const auto r = child.wait();
    EXPECT_EQ(r.status, 130);
    EXPECT_THAT(r.out, HasSubstr("Two.\n"));
}

}  // namespace
