#include "replay_fixture.hpp"

namespace {

using namespace std::chrono_literals;
using tandem::testing::json;
using tandem::testing::replay_test;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using replay = replay_test;

TEST_F(replay, delivers_a_reply_in_chunks_that_are_its_text) {
    start_server();
    const auto r = run({"--json", "--prompt", "Tell me a story"});
    EXPECT_EQ(r.status, 0) << r.err;
    std::string text;
    for (const auto& c : r.events("chunk")) text += c["text"].get<std::string>();
    const auto end = r.event("end");
    EXPECT_EQ(end["text"], story);
    EXPECT_EQ(text, story);
    EXPECT_EQ(end["finish_reason"], "eos");
    EXPECT_EQ(end["chunks"], 4);
    EXPECT_EQ(r.event("summary")["complete"], 1);
}

TEST_F(replay, numbers_the_chunks_and_reports_when_they_came) {
    start_server();
    const auto chunks = run({"--json", "--prompt", "count"}).events("chunk");
    ASSERT_THAT(chunks, SizeIs(3));
    for (std::size_t i = 0; i < chunks.size(); ++i) EXPECT_EQ(chunks[i]["seq"], i);
    EXPECT_LT(chunks[0]["t_ns"], chunks[2]["t_ns"]);
}

TEST_F(replay, carries_the_replies_of_a_dialogue_into_its_next_turn) {
    start_server({.dialogues = {{"d",
                                 {{"system", "Be brief."},
                                  {"user", "Hi"},
                                  {"assistant", "Hello. What now?"},
                                  {"user", "Go"},
                                  {"assistant", "I go."}}}}});
    const auto r =
        run({"--json", "-"}, R"({"id": "d", "system": "Be brief.", "turns": ["Hi", "Go"]})");
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends[0]["text"], "Hello. What now?");
    EXPECT_EQ(ends[1]["text"], "I go.");
    EXPECT_EQ(ends[1]["turn"], 1);
}

TEST_F(replay, sends_messages_through_the_chat_template) {
    start_server({.dialogues = {{"d", {{"user", "Hi"}, {"assistant", "Hello."}}}}});
    EXPECT_EQ(run({"--json", "-"}, R"({"messages": [{"role": "user", "content": "Hi"}]})")
                  .event("end")["text"],
              "Hello.");
    EXPECT_EQ(run({"--json", "--user", "Hi"}).event("end")["text"], "Hello.");
}

TEST_F(replay, ends_a_reply_at_its_max_tokens) {
    start_server();
    const auto end = run({"--json", "-"}, R"({"prompt": "story", "max_tokens": 3})").event("end");
    EXPECT_EQ(end["finish_reason"], "length");
    EXPECT_EQ(end["usage"]["generated"], 3);
}

TEST_F(replay, interrupts_a_reply_after_its_time) {
    start_server();
    // Speaking the first chunk takes 40 s, so a reply that ends sooner was interrupted.
    const auto r =
        run({"--json", "--tts", "wpm=9", "-"}, R"({"prompt": "story", "interrupt_after_ms": 50})");
    EXPECT_EQ(r.status, 0) << r.err;
    const auto end = r.event("end");
    EXPECT_EQ(end["finish_reason"], "interrupted");
    EXPECT_LT(end["total_ms"], 30000);
    EXPECT_EQ(r.event("summary")["interrupted"], 1);
}

TEST_F(replay, asks_for_the_next_chunk_only_when_the_one_before_is_spoken) {
    start_server();
    // "Two." takes 100 ms to speak.
    const auto chunks = run({"--json", "--tts", "wpm=600", "--prompt", "count"}).events("chunk");
    ASSERT_THAT(chunks, SizeIs(3));
    const auto pause =
        chunks[2]["t_ns"].get<std::int64_t>() - chunks[1]["t_ns"].get<std::int64_t>();
    EXPECT_GE(pause, 100'000'000);
}

TEST_F(replay, speaks_nothing_of_a_chunk_without_speech) {
    start_server({.replies = {{"code", "```c\nint i;\n```"}}});
    const auto r = run({"--tts", "wpm=600", "--prompt", "code"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, AllOf(HasSubstr("int i;"), Not(HasSubstr(" speech"))));
}

TEST_F(replay, runs_many_lines_at_a_time_over_one_client) {
    start_server();
    std::string input;
    for (int i = 0; i < 40; ++i) input += "{\"prompt\": \"count\"}\n";
    const auto r = run({"--json", "--concurrency", "8", "-"}, input);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(40));
    for (const auto& e : ends) EXPECT_EQ(e["text"], "One. Two. Three.");
    EXPECT_EQ(server_->observe().of_path("/props").size(), 1u);
}

TEST_F(replay, reads_a_million_bytes_of_prompt) {
    start_server({.ctx_size = 4'000'000, .replies = {{"story", "Once."}}});
    const auto prompt = std::string(1'000'000, 'x') + " story";
    const auto r = run({"--json", "-"}, json{{"prompt", prompt}}.dump());
    EXPECT_EQ(r.event("end")["text"], "Once.");
}

TEST_F(replay, shows_people_a_time_line_without_control_sequences_in_a_pipe) {
    start_server();
    const auto r = run({"--prompt", "count"});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.out, HasSubstr("2 slots of"));
    EXPECT_THAT(r.out, HasSubstr("  One.\n"));
    EXPECT_THAT(r.out, HasSubstr("1 reply: 1 complete\n"));
    EXPECT_THAT(r.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(r.err, IsEmpty());
}

TEST_F(replay, tells_replies_that_run_side_by_side_apart) {
    start_server();
    const auto r = run({"--concurrency", "2", "--prompt", "count", "--prompt", "count"});
    EXPECT_THAT(r.out, HasSubstr("\np1  "));
    EXPECT_THAT(r.out, HasSubstr("\np2  "));
}

TEST_F(replay, tells_people_why_a_cut_cannot_be_verified) {
    start_server({.slots_endpoint = false});
    const auto r = run({"--verify-cut", "--tts", "wpm=300", "--prompt", "count"});
    EXPECT_EQ(r.status, 0);
    EXPECT_THAT(r.err, HasSubstr("cuts are not verified"));
}

TEST_F(replay, writes_log_lines_to_stderr) {
    start_server();
    const auto r = run({"--json", "--log-level", "info", "--prompt", "count"});
    EXPECT_THAT(r.err, HasSubstr("info: server b11669-mock"));
    EXPECT_EQ(r.event("summary")["complete"], 1);
}

TEST_F(replay, sends_the_key_that_a_variable_has) {
    start_server({.api_key = "sesame"});
    tandem::testing::child_process child(program, {.args = args({"--json", "--prompt", "x"}),
                                                   .variables = {"TANDEM_API_KEY=sesame"}});
    EXPECT_EQ(child.wait().status, 0);
}

}  // namespace
