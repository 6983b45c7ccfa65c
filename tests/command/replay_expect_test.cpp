#include "replay_fixture.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

// Dialogues with expectations.
namespace tandem::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

namespace files = std::filesystem;

class replay_expectations : public replay_test {
 protected:
    replay_expectations() { files::create_directory(place_); }
    ~replay_expectations() override { files::remove_all(place_); }

    // Starts a server that replies to raw prompts and to messages.
    void start_telling_server(std::vector<mock::fault> faults = {}) {
        const std::string end = "<|im_end|>\n<|im_start|>assistant\n";
        start_server({.replies = {{"story", story},
                                  {"story" + end, story},
                                  {"count" + end, "One. Two. Three."}},
                      .faults = std::move(faults)});
    }
    std::string path(const std::string& name) const { return place_ / name; }
    std::string read(const std::string& name) const {
        std::ifstream in(path(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }

    files::path place_ = ::testing::TempDir() + "replay_expect_test_" + std::to_string(::getpid());
};

constexpr const char* holds =
    R"({"id":"s","messages":[{"role":"user","content":"story"}],"expect":{"text":"fox.*moon"}})";
constexpr const char* breaks =
    R"({"id":"d","turns":[{"user":"story","expect":{"chunks":4}},{"user":"count","expect":{"text":"Four"}}]})";

TEST_F(replay_expectations, that_hold_leave_an_exit_status_of_0) {
    start_telling_server();
    const auto r = run({"--json", "-"}, holds);
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_THAT(r.event("end")["expected"], IsEmpty());
    EXPECT_EQ(r.event("summary")["expected"],
              json({{"turns", 1}, {"broken", 0}, {"unchecked", 0}}));
}

TEST_F(replay_expectations, are_reported_in_no_field_if_there_are_none) {
    start_telling_server();
    const auto r = run({"--json", "--prompt", "story"});
    EXPECT_FALSE(r.event("end").contains("expected"));
    EXPECT_FALSE(r.event("summary").contains("expected"));
}

TEST_F(replay_expectations, that_break_are_reported_in_json_and_by_the_exit_status) {
    start_telling_server();
    const auto r = run({"--json", "-"}, breaks);
    EXPECT_EQ(r.status, 1);
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_THAT(ends[0]["expected"], IsEmpty());
    ASSERT_THAT(ends[1]["expected"], SizeIs(1));
    EXPECT_EQ(ends[1]["expected"][0]["name"], "text");
    EXPECT_EQ(ends[1]["expected"][0]["expected"], "/Four/");
    EXPECT_EQ(r.event("summary")["expected"],
              json({{"turns", 2}, {"broken", 1}, {"unchecked", 0}}));
}

TEST_F(replay_expectations, that_break_are_one_line_each_for_people) {
    start_telling_server();
    const auto r = run({"-"}, breaks);
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.out, AllOf(HasSubstr("line 1, turn 2: text: expected /Four/, got «"),
                             HasSubstr("expectations   2 turns, 1 broken\n")));
}

TEST_F(replay_expectations, of_a_raw_prompt_are_checked_too) {
    start_telling_server();
    const auto r = run({"--json", "-"}, R"({"prompt":"story","expect":{"not_text":"moon"}})");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("end")["expected"][0]["name"], "not_text");
}

TEST_F(replay_expectations, of_a_reply_that_fails_are_broken) {
    start_telling_server({{.kind = mock::fault_kind::http_error, .times = 0, .status = 400}});
    const auto r = run({"--json", "--junit", path("j.xml"), "-"}, holds);
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["expected"][0]["name"], "reply");
    EXPECT_THAT(read("j.xml"), HasSubstr("<failure message=\"reply: expected no failure, got "));
}

TEST_F(replay_expectations, are_written_as_junit_xml) {
    start_telling_server();
    const auto r = run({"--junit", path("j.xml"), "-"}, std::string(holds) + "\n" + breaks);
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_THAT(read("j.xml"), AllOf(HasSubstr(R"(tests="3" failures="1" errors="0")"),
                                     HasSubstr(R"(<testcase classname="stdin" name="s" time=)"),
                                     HasSubstr(R"(<testcase classname="stdin" name="d" time=)"),
                                     HasSubstr(R"(<testcase classname="stdin" name="d.1" time=)"),
                                     HasSubstr("<failure message=\"text: expected /Four/, got «")));
}

TEST_F(replay_expectations, of_turns_that_do_not_finish_are_an_error_in_junit_xml) {
    const auto r = run({"--url", "http://127.0.0.1:1", "--junit", path("j.xml"), "-"}, breaks);
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(read("j.xml"), HasSubstr("2 turns with expectations did not finish"));
}

TEST_F(replay_expectations, of_turns_that_are_stopped_are_not_checked) {
    start_telling_server();
    auto child =
        start({"--json", "--tts", "wpm=1", "--junit", path("j.xml"), "--conversations", "2",
               "--concurrency", "1", "-"},
              R"({"messages":[{"role":"user","content":"story"}],"expect":{"text":"moon"}})");
    child.read_line();  // the first chunk, which takes minutes to speak
    child.send_signal(SIGINT);
    const auto end = child.wait();
    const finished_run r{end.status, end.out, end.err};
    EXPECT_EQ(r.status, 130);
    EXPECT_FALSE(r.event("end").contains("expected"));
    EXPECT_EQ(r.event("summary")["expected"],
              json({{"turns", 0}, {"broken", 0}, {"unchecked", 2}}));
    EXPECT_THAT(read("j.xml"), AllOf(HasSubstr(R"(tests="1" failures="0" errors="1")"),
                                     HasSubstr("2 turns with expectations did not finish")));
}

TEST_F(replay_expectations, with_a_fault_are_refused_before_anything_is_sent) {
    start_telling_server();
    const auto r = run({"-"},
                       "\n"
                       R"({"prompt":"story","expect":{"text":"("}})");
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("stdin:2: expect.text is \"(\""));
    EXPECT_THAT(server_->observe().of_path("/completion"), IsEmpty());
}

TEST_F(replay_expectations, need_a_junit_file_that_can_be_written) {
    start_telling_server();
    const auto missing = run({"--junit", path("none/j.xml"), "-"}, holds);
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(missing.err, HasSubstr("--junit: " + path("none/j.xml") + ": No such file"));
    const auto stdout_too = run({"--junit", "-", "-"}, holds);
    EXPECT_EQ(stdout_too.status, 2);
    EXPECT_THAT(stdout_too.err, HasSubstr("--junit is -, but"));
    const auto none = run({"--junit", path("j.xml"), "--prompt", "story"});
    EXPECT_EQ(none.status, 2);
    EXPECT_THAT(none.err, HasSubstr("--junit: no line of the prompts has expect"));
    EXPECT_FALSE(files::exists(path("j.xml")));
}

TEST_F(replay_expectations, are_kept_in_a_recording) {
    start_telling_server();
    run({"--record", path("r.rec"), "-"}, breaks);
    server_.reset();
    const auto r =
        run({"--junit", path("j.xml"), "--from-recording", path("r.rec"), "--speed", "max"});
    EXPECT_EQ(r.status, 1) << r.err;
    EXPECT_THAT(r.out, AllOf(HasSubstr(" turn 2: text: expected /Four/"), Not(HasSubstr("line 0")),
                             HasSubstr("expectations   2 turns, 1 broken\n")));
    EXPECT_THAT(read("j.xml"), HasSubstr("classname=\"" + path("r.rec") + "\" name=\"d.1\" time="));
}

TEST_F(replay_expectations, may_follow_a_system_prompt_from_the_command_line) {
    start_telling_server();
    const auto r = run({"--json", "--system", "Be brief.", "--user", "story"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(server_->observe().of_path("/completion").at(0).prompt,
                HasSubstr("<|im_start|>system\nBe brief.<|im_end|>"));
    const auto refused = run({"--system", "Be brief.", "-"}, holds);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("--system requires --user TEXT"));
}

}  // namespace
}  // namespace tandem::testing
