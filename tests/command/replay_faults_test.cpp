#include "replay_fixture.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <future>
#include <unistd.h>

namespace {

using tandem::mock::fault_kind;
using tandem::testing::child_process;
using tandem::testing::json;
using tandem::testing::replay_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using replay_faults = replay_test;

constexpr const char* three_prompts =
    "{\"prompt\": \"count\"}\n{\"prompt\": \"count\"}\n{\"prompt\": \"count\"}\n";

TEST_F(replay_faults, report_once_that_nobody_listens) {
    start_server();
    const auto arguments = args({"--json", "-"});
    server_->stop();
    child_process child(program, {.args = arguments, .input = three_prompts});
    const auto end = child.wait();
    const tandem::testing::finished_run r{end.status, end.out, end.err};
    EXPECT_EQ(r.status, 1);
    const auto error = r.event("error");
    EXPECT_TRUE(error["id"].is_null());
    EXPECT_EQ(error["code"], "connect_failed");
    EXPECT_EQ(r.event("summary")["not_started"], 3);
}

TEST_F(replay_faults, report_once_that_the_key_is_wrong_without_showing_it) {
    start_server({.api_key = "sesame"});
    const auto r = run({"--json", "--api-key", "wrong-key", "-"}, three_prompts);
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["code"], "unauthorized");
    EXPECT_THAT(r.out + r.err, Not(HasSubstr("wrong-key")));
    EXPECT_THAT(run({"--api-key", "wrong-key", "-"}, three_prompts).err,
                HasSubstr("use --api-key-file FILE or TANDEM_API_KEY to pass the one "));
}

TEST_F(replay_faults, report_once_that_the_model_is_loading) {
    start_server({.load_time = std::chrono::hours(1)});
    const auto r = run({"--json", "-"}, three_prompts);
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["code"], "model_loading");
    EXPECT_EQ(r.event("error")["retryable"], true);
}

TEST_F(replay_faults, are_waited_for_if_a_server_loads_its_model) {
    start_server({.faults = {{.kind = tandem::mock::fault_kind::unavailable,
                              .at_token = 0,
                              .times = 2,
                              .path = "/props"}}});
    const auto r = run({"--json", "--wait", "1m", "--user", "count"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    EXPECT_GE(server_->observe().of_path("/props").size(), 3u);
}

TEST_F(replay_faults, tell_people_what_to_do) {
    start_server({.load_time = std::chrono::hours(1)});
    const auto r = run({"--prompt", "count"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr(server_->url() + ": model_loading: "));
    EXPECT_THAT(r.err, HasSubstr("try again in a moment"));
    EXPECT_THAT(r.out, HasSubstr("1 not started"));
}

TEST_F(replay_faults, continue_with_the_other_prompts_if_one_is_too_long) {
    start_server({.ctx_size = 128, .replies = {{"count", "One."}}});
    std::string words;
    for (int i = 0; i < 200; ++i) words += "word ";
    const auto r = run({"--json", "-"},
                       json{{"prompt", words}}.dump() + "\n" + json{{"prompt", "count"}}.dump());
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["code"], "prompt_too_long");
    EXPECT_EQ(r.event("error")["id"], "p1");
    EXPECT_EQ(r.event("end")["id"], "p2");
}

// The second sentence is complete only with the token after it.
TEST_F(replay_faults, keep_complete_sentences_when_the_server_dies) {
    start_server({.faults = {{.kind = fault_kind::crash, .at_token = 1, .skip = 1}}});
    const auto r = run({"--json", "--retries", "0", "--prompt", "count"});
    EXPECT_EQ(r.status, 1);
    const auto error = r.event("error");
    EXPECT_EQ(error["code"], "stream_incomplete");
    EXPECT_EQ(error["text"], "One. Two.");
    EXPECT_EQ(error["chunks"], 2);
    EXPECT_EQ(r.event("summary")["failed"], 1);
}

TEST_F(replay_faults, report_that_a_reply_continued_and_when) {
    start_server({.faults = {{.kind = fault_kind::reset, .at_token = 1, .skip = 1}}});
    const auto r = run({"--json", "--prompt", "count"});
    EXPECT_EQ(r.status, 0);
    EXPECT_EQ(r.event("end")["retries"], 1);
    EXPECT_THAT(r.event("end")["lost_ms"], SizeIs(1));
    EXPECT_EQ(r.event("summary")["went_on"], 1);
    EXPECT_EQ(r.event("summary")["retries"], 1);
}

TEST_F(replay_faults, report_that_the_voice_is_slower_than_the_limit_and_wait_no_longer) {
    start_server();
    // Speaking the first chunk would take more than an hour, but the limit is 20 ms.
    const auto r =
        run({"--json", "--tts", "wpm=0.01", "--continue-timeout", "20ms", "--prompt", "count"});
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["code"], "continue_timeout");
    EXPECT_THAT(r.event("error")["message"].get<std::string>(),
                HasSubstr("at --tts wpm=0.01 this chunk is spoken for 6000s, longer than "
                          "--continue-timeout 20ms; set --continue-timeout 125m"));
}

TEST_F(replay_faults, leave_the_later_turns_of_a_dialogue_out) {
    start_server({.faults = {{.kind = fault_kind::http_error}}});
    const auto r = run({"--json", "--retries", "0", "-"}, R"({"turns": ["a", "b", "c"]})");
    EXPECT_EQ(r.status, 1);
    EXPECT_EQ(r.event("error")["code"], "server_error");
    EXPECT_EQ(r.event("summary")["not_started"], 2);
}

TEST_F(replay_faults, tell_a_chat_template_that_fails) {
    start_server({.faults = {{.kind = fault_kind::http_error,
                              .at_token = 0,
                              .times = 3,  // two for the probe of the template, one for the reply
                              .path = "/apply-template",
                              .text = "bad template"}}});
    const auto r = run({"--json", "--user", "Hi"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.event("error")["message"].get<std::string>(), HasSubstr("bad template"));
}

TEST_F(replay_faults, name_the_lines_of_a_bad_file_and_send_nothing) {
    start_server();
    const auto r = run({"--json", "-"}, "{\"prompt\": \"a\"}\n{\"promt\": \"b\"}\nHello\n");
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.out, IsEmpty());
    EXPECT_THAT(r.err, AllOf(HasSubstr("stdin:2: unknown field \"promt\""),
                             HasSubstr("stdin:3: not a JSON object; write {\"prompt\": ")));
    EXPECT_THAT(server_->observe().requests, IsEmpty());
}

TEST_F(replay_faults, name_a_file_that_cannot_be_read) {
    const auto r = run({"/nowhere/prompts.jsonl"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("/nowhere/prompts.jsonl: No such file or directory"));
}

TEST_F(replay_faults, refuse_a_folder_and_an_empty_file) {
    EXPECT_THAT(run({"/"}).err, HasSubstr("/: Is a directory"));
    EXPECT_THAT(
        run({"/dev/null"}).err,
        HasSubstr(R"(/dev/null has no prompts; write one a line, such as {"turns": ["Hello"]})"));
}

TEST_F(replay_faults, refuse_bad_flags) {
    const auto r = run({"--slots", "-1", "--prompt", "x"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--slots is -1"));
}

TEST_F(replay_faults, refuse_an_argument_that_is_not_utf8) {
    start_server();
    const auto r = run({"--json", "--prompt", "a\xFF"});
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("--prompt has invalid UTF-8 at byte 2"));
    EXPECT_THAT(server_->observe().requests, IsEmpty());
}

TEST_F(replay_faults, end_quietly_when_nobody_reads_stdout) {
    start_server();
    auto child = start({"--json", "--tts", "wpm=600", "--prompt", "story"});
    child.read_line();
    child.close_stdout();
    const auto end = child.wait();
    EXPECT_EQ(end.status, 128 + SIGPIPE);
    EXPECT_EQ(end.err, "");
}

TEST_F(replay_faults, end_quietly_when_nobody_reads_stdout_between_two_replies) {
    // Delays the third rendering, until the test has closed stdout. The first two are those of a
    // probe and of the first reply; the third is that of the second reply.
    std::promise<void> closed;
    int calls = 0;
    const auto hold_up = [&, until = closed.get_future().share()](const auto&) {
        if (++calls == 3) until.wait_for(std::chrono::seconds(120));
        return false;
    };
    start_server({.faults = {{.path = "/apply-template", .when = hold_up}}});
    auto child = start({"--user", "a", "--user", "b"});
    ASSERT_TRUE(server_->wait_until(
        [](const auto& seen) { return seen.of_path("/apply-template").size() == 3; }));
    child.close_stdout();
    closed.set_value();
    const auto end = child.wait();
    EXPECT_EQ(end.status, 128 + SIGPIPE);
    EXPECT_EQ(end.err, "");
}

TEST_F(replay_faults, end_with_a_message_when_the_disk_is_full) {
    start_server();
    child_process child(program,
                        {.args = args({"--json", "--prompt", "story"}), .out_file = "/dev/full"});
    const auto end = child.wait();
    EXPECT_EQ(end.status, 1);
    EXPECT_THAT(end.err, HasSubstr("cannot write to stdout: No space left on device"));
}

TEST_F(replay_faults, leave_files_alone_where_stdout_or_stderr_is_closed) {
    start_server();
    const auto save = testing::TempDir() + "closed_" + std::to_string(::getpid());
    const auto run_closed = [&](const std::string& closed) {
        auto all = args({"--prompt", "count", "--record", save});
        all.insert(all.begin(), {"-c", "exec \"$0\" \"$@\" " + closed, program});
        return child_process("/bin/sh", {.args = all}).wait();
    };
    const auto r = run_closed("<&- >&-");
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("cannot write to stdout: Bad file descriptor"));
    EXPECT_EQ(run_closed("<&- 2>&-").status, 0);
    std::ifstream in(save);
    for (std::string line; std::getline(in, line);) EXPECT_TRUE(json::accept(line)) << line;
    for (const auto& file : {save, save + ".old"}) std::remove(file.c_str());
}

TEST_F(replay_faults, do_not_pass_over_a_help_that_cannot_be_written) {
    child_process child(program, {.args = {"--help"}, .out_file = "/dev/full"});
    EXPECT_EQ(child.wait().status, 1);
}

struct stop_signal {
    const char* name;
    int number;
};

class replay_stopped : public replay_test, public testing::WithParamInterface<stop_signal> {};

TEST_P(replay_stopped, keeps_the_results_so_far) {
    start_server();
    auto child = start({"--json", "--tts", "wpm=9", "-"}, three_prompts);
    const auto first = child.read_line();
    child.send_signal(GetParam().number);
    const auto end = child.wait();
    const tandem::testing::finished_run r{end.status, end.out, end.err};
    EXPECT_EQ(json::parse(first)["text"], "One.");
    EXPECT_EQ(r.status, 128 + GetParam().number);
    EXPECT_EQ(r.event("end")["finish_reason"], "interrupted");
    EXPECT_EQ(r.event("end")["text"], "One.");
    EXPECT_EQ(r.event("summary")["not_started"], 2);
}

INSTANTIATE_TEST_SUITE_P(by, replay_stopped,
                         testing::Values(stop_signal{"ctrl_c", SIGINT},
                                         stop_signal{"sigterm", SIGTERM},
                                         stop_signal{"sighup", SIGHUP}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(replay_faults, do_not_end_at_a_hangup_under_nohup) {
    start_server();
    auto all = args({"--json", "--tts", "wpm=300", "-"});
    all.insert(all.begin(), {"-c", "trap '' HUP; exec \"$0\" \"$@\"", program});
    child_process child("/bin/sh", {.args = all, .input = three_prompts});
    child.read_line();
    child.send_signal(SIGHUP);
    EXPECT_EQ(child.wait().status, 0);
}

TEST_F(replay_faults, do_not_keep_a_stopped_run_waiting_for_a_server_that_stalls) {
    start_server({.faults = {{.kind = fault_kind::slow_headers,
                              .duration = std::chrono::hours(1),
                              .path = "/apply-template"}}});
    auto child = start({"--json", "--user", "Hi", "--request-timeout", "1h"});
    ASSERT_TRUE(server_->wait_until(
        [](const auto& seen) { return !seen.of_path("/apply-template").empty(); }));
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130);
    EXPECT_THAT(end.out, HasSubstr("\"interrupted\":1"));
}

}  // namespace
