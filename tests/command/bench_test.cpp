#include "replay_fixture.hpp"

#include <algorithm>
#include <csignal>
#include <fstream>

namespace {

using tandem::testing::child_process;
using tandem::testing::finished_run;
using tandem::testing::json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Runs `tandem bench` against `server_`. If a test starts no server, the command uses its own mock
/// server.
class bench : public tandem::testing::replay_test {
 protected:
    std::vector<std::string> bench_args(std::vector<std::string> more) const {
        // Long enough that no reply times out, even on a slow machine.
        std::vector<std::string> all{"bench",
                                     "--reuse-guard=0",
                                     "--connect-timeout=1h",
                                     "--request-timeout=1h",
                                     "--first-token-timeout=1h",
                                     "--between-tokens-timeout=1h",
                                     "--queue-timeout=1h"};
        if (server_)
            all.insert(all.end(), {"--url", server_->url()});
        else
            all.insert(all.end(), {"--mock", "--tokens-per-second", "0"});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    finished_run run_bench(std::vector<std::string> more, std::string input = {}) const {
        child_process child(program,
                            {.args = bench_args(std::move(more)), .input = std::move(input)});
        auto end = child.wait();
        return {end.status, std::move(end.out), std::move(end.err)};
    }
    json report(std::vector<std::string> more, std::string input = {}) const {
        more.emplace_back("--json");
        const auto r = run_bench(std::move(more), std::move(input));
        EXPECT_EQ(r.status, 0) << r.err;
        return r.event("bench");
    }
};

TEST_F(bench, measures_its_own_mock_without_further_words) {
    const auto r = run_bench({"--turns", "20"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("mock in this process, 8 slots"));
    EXPECT_THAT(r.out, HasSubstr("20 replies in "));
    EXPECT_THAT(r.out, HasSubstr(": 20 complete\n"));
    for (const char* row : {"first token", "first chunk", "gap", "hand-over", "slot wait",
                            "guard wait", "processor", "memory"})
        EXPECT_THAT(r.out, HasSubstr(std::string("\n  ") + row));
    EXPECT_THAT(r.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(r.err, IsEmpty());
}

TEST_F(bench, tells_programs_the_same_in_one_object) {
    const auto o = report({"--turns", "20"});
    EXPECT_EQ(o["complete"], 20);
    EXPECT_EQ(o["first_token_ms"]["count"], 20);
    EXPECT_EQ(o["hand_over_ms"]["count"], o["chunks"]);
    EXPECT_EQ(o["gap_ms"]["count"], o["chunks"].get<int>() - 20);
    EXPECT_GT(o["cpu_us_per_token"], 0);
    EXPECT_GT(o["peak_streams"], 0);
    EXPECT_FALSE(o["stopped_early"]);
}

TEST_F(bench, sees_the_mock_close_every_connection_that_was_cut) {
    // At this speed, the server detects each cut before the reply is complete.
    const auto o = report({"--turns", "8", "--tokens-per-second", "200", "--pacing", "strict"});
    EXPECT_GT(o["cuts"], 0);
    EXPECT_EQ(o["cut_to_close_ms"]["count"], o["cuts"]);
}

TEST_F(bench, holds_no_more_conversations_at_once_than_it_should) {
    EXPECT_LE(report({"--turns", "30", "--concurrency", "3"})["peak_streams"], 3);
}

TEST_F(bench, has_as_many_connections_as_it_needs_if_the_usual_limit_is_low) {
    // At this speed, all connections are open at once, and the process holds both ends of each.
    auto args = bench_args({"--turns", "40", "--concurrency", "40", "--tokens-per-second", "20",
                            "--max-tokens", "8", "--retries", "0"});
    args.insert(args.begin(), {"-c", "ulimit -Sn 64; exec \"$0\" \"$@\"", program});
    const auto end = child_process("/bin/sh", {.args = std::move(args)}).wait();
    EXPECT_EQ(end.status, 0) << end.out << end.err;
}

TEST_F(bench, measures_any_server) {
    start_server({.parallel = 4});
    const auto o = report({"--turns", "6", "--concurrency", "2", "--prompt", "Tell me a story"});
    EXPECT_EQ(o["complete"], 6);
    EXPECT_EQ(o["setting"]["servers"][0]["url"], server_->url());
    EXPECT_EQ(o["setting"]["mock_slots"], 0);
    EXPECT_FALSE(server_->observe().of_path("/completion").empty());
}

TEST_F(bench, begins_turns_at_their_own_times_in_an_open_loop) {
    const auto o = report({"--turns", "12", "--rate", "200", "--arrivals", "even"});
    EXPECT_EQ(o["complete"], 12);
    EXPECT_GE(o["seconds"], 11.0 / 200);
    EXPECT_EQ(o["late_ms"]["count"], 12);
}

TEST_F(bench, counts_turns_that_found_no_conversation_free) {
    start_server();
    // Ten turns are due within one second, but the only conversation needs three seconds to speak
    // "One. Two. Three."
    const auto r = run_bench({"--json", "--rate", "10", "--duration", "1s", "--concurrency", "1",
                              "--tts", "wpm=60", "--arrivals", "even", "--prompt", "count"});
    EXPECT_EQ(r.status, 1);
    const auto o = r.event("bench");
    EXPECT_EQ(o["replies"].get<int>() + o["missed"].get<int>(), 10);
    EXPECT_GT(o["missed"], 0);
}

TEST_F(bench, speaks_at_the_pace_of_a_voice) {
    start_server();
    // Each of the three words takes 0.5 s. The bound does not include the last word.
    const auto o = report({"--turns", "1", "--concurrency", "1", "--first-chunk-min-tokens", "0",
                           "--tts", "wpm=120", "--prompt", "count"});
    EXPECT_GE(o["seconds"], 1.0);
}

TEST_F(bench, waits_for_users_who_speak_and_drafts_meanwhile) {
    const auto o = report({"--turns", "2", "--concurrency", "1", "--user", "tell me a story",
                           "--partials", "100ms", "--eager", "1s", "--revise", "1"});
    EXPECT_EQ(o["complete"], 2);
    // In each of two turns, the user speaks four words at 150 words per minute.
    EXPECT_GE(o["seconds"], 3.2);
    EXPECT_GT(o["prefilled"], 0);
    EXPECT_GT(o["drafted"], 0);
    EXPECT_GT(o["draft_wasted"], 0);
}

TEST_F(bench, reads_the_prompts_of_replay) {
    start_server();
    const auto o = report({"--turns", "4", "--concurrency", "1", "--prompts", "-"},
                          "{\"prompt\": \"raw story\"}\n"
                          "{\"system\": \"Be brief.\", \"turns\": [\"story\", \"count\"]}\n");
    EXPECT_EQ(o["complete"], 4);
    const auto requests = server_->observe().of_path("/completion");
    EXPECT_EQ(requests.front().prompt, "raw story");
}

TEST_F(bench, says_that_it_does_not_check_expect) {
    start_server();
    const auto r = run_bench({"--turns", "1", "--concurrency", "1", "--prompts", "-"},
                             "{\"prompt\": \"count\"}\n"
                             "{\"prompt\": \"count\", \"expect\": {\"calls\": [\"f\"]}}\n");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.err, HasSubstr("tandem bench: stdin:2: bench does not check expect"));
}

TEST_F(bench, interrupts_replies_as_their_line_says) {
    start_server({.tokens_per_second = 20});
    const auto o = report({"--turns", "1", "--concurrency", "1", "--prompts", "-"},
                          R"({"prompt": "story", "interrupt_after_ms": 100})");
    EXPECT_EQ(o["interrupted"], 1);
}

TEST_F(bench, counts_what_fails_by_its_code) {
    start_server({.faults = {tandem::mock::parse_fault("http_error:status=400,times=0")}});
    const auto r = run_bench({"--json", "--turns", "3", "--prompt", "story", "--retries", "0"});
    EXPECT_EQ(r.status, 1);
    const auto o = r.event("bench");
    EXPECT_EQ(o["failed"], 3);
    EXPECT_EQ(o["errors"]["bad_request"], 3);
    EXPECT_THAT(o["messages"]["bad_request"].get<std::string>(), HasSubstr("400"));
    EXPECT_EQ(o["replies_per_second"], 0) << "failed replies do not count";
}

TEST_F(bench, ends_with_a_message_if_its_report_cannot_be_written) {
    child_process child(program, {.args = bench_args({"--turns", "2"}), .out_file = "/dev/full"});
    const auto end = child.wait();
    EXPECT_EQ(end.status, 1);
    EXPECT_THAT(end.err, HasSubstr("cannot write to stdout: No space left on device"));
}

TEST_F(bench, reports_what_there_is_when_it_is_stopped) {
    start_server({.parallel = 8, .tokens_per_second = 20});
    child_process child(program,
                        {.args = bench_args({"--json", "--duration", "1h", "--prompt", "story"})});
    ASSERT_TRUE(server_->wait_until(
        [](const auto& seen) { return seen.of_path("/completion").size() >= 8; }));
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130);
    const auto o = json::parse(end.out);
    EXPECT_TRUE(o["stopped_early"]);
    EXPECT_GT(o["stopped"], 0);
}

TEST_F(bench, finds_how_many_callers_a_server_carries) {
    // The server generates 160 tokens/s in all, and each listener uses about 13, so about 12
    // callers are possible. The bounds are wide, because the machine may be slow.
    start_server({.parallel = 4, .tokens_per_second = 40});
    const auto r = run_bench({"--json", "--capacity", "--duration", "500ms", "--tts", "wpm=600",
                              "--first-chunk-within", "10s", "--gap-within", "1s"});
    EXPECT_EQ(r.status, 0) << r.out << r.err;
    const auto steps = r.events("capacity_step");
    int held = 0;
    for (const auto& s : steps)
        if (s["held"]) held = std::max(held, s["callers"].get<int>());
    const auto o = r.event("capacity");
    EXPECT_EQ(steps.front()["callers"], 4);
    EXPECT_EQ(o["callers"], held);
    EXPECT_LT(o["callers"], 64);
    EXPECT_GT(o["over"], o["callers"]);
    EXPECT_GT(o["callers_by_arithmetic"], 0);
    EXPECT_EQ(o["setting"]["words_per_minute"], 600);
    EXPECT_FALSE(o["stopped_early"]);
}

TEST_F(bench, shows_each_step_and_why_a_server_carries_nobody) {
    start_server({.faults = {tandem::mock::parse_fault("http_error:status=400,times=0")}});
    const auto r = run_bench({"--capacity", "--duration", "1s", "--retries", "0"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.out, HasSubstr("\n        4 "));
    EXPECT_THAT(r.out, HasSubstr("over: failed\n"));
    EXPECT_THAT(r.out, HasSubstr("given up, as every turn of a step failed\n"));
    EXPECT_THAT(r.out, HasSubstr("bad_request: "));
}

TEST_F(bench, reports_the_number_of_callers_that_is_known_when_it_is_stopped) {
    start_server({.parallel = 8, .tokens_per_second = 20});
    child_process child(program,
                        {.args = bench_args({"--json", "--capacity", "--duration", "1s",
                                             "--first-chunk-within", "1h", "--gap-within", "1h"})});
    const auto first = json::parse(child.read_line());
    EXPECT_EQ(first["event"], "capacity_step");
    EXPECT_TRUE(first["held"]);
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130);
    const finished_run r{end.status, end.out, end.err};
    EXPECT_GE(r.event("capacity")["callers"], 4);
    EXPECT_TRUE(r.event("capacity")["over"].is_null());
    EXPECT_TRUE(r.event("capacity")["stopped_early"]);
}

TEST_F(bench, counts_no_listening_to_chunks_without_speech) {
    // A code block is not spoken, so callers have nothing to listen to.
    start_server({.parallel = 4, .replies = {{"code", "```c\nint i;\n```"}}});
    const auto o = run_bench({"--json", "--capacity", "--duration", "500ms", "--prompt", "code",
                              "--first-chunk-within", "0"})
                       .event("capacity");
    EXPECT_EQ(o["listener_tokens_per_second"], 0) << o;
}

TEST_F(bench, searches_with_8_slots_of_its_mock_even_if_there_is_a_guard) {
    const auto r = run_bench({"--capacity", "--duration", "200ms", "--first-chunk-within", "0",
                              "--reuse-guard", "50ms"});
    EXPECT_THAT(r.out, HasSubstr("mock in this process, 8 slots")) << r.err;
}

TEST_F(bench, reports_that_no_server_answers) {
    start_server();
    const auto url = server_->url();
    server_->stop();
    const auto r = run_bench({"--turns", "1"});
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.err, HasSubstr("tandem bench: " + url + ": connect_failed: cannot connect"));
    EXPECT_THAT(r.out, IsEmpty());
}

TEST_F(bench, tells_which_flag_has_the_key_of_a_server) {
    start_server({.api_key = "sesame"});
    EXPECT_THAT(run_bench({}).err, HasSubstr("use --api-key-file FILE or TANDEM_API_KEY"));
}

TEST_F(bench, reports_what_is_wrong_with_its_file_of_prompts) {
    const auto r = run_bench({"--prompts", "-"}, "{\"prompt\": 1}\n");
    EXPECT_EQ(r.status, 2);
    EXPECT_THAT(r.err, HasSubstr("tandem bench: nothing was sent"));
}

}  // namespace
