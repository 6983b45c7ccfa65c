#include "replay_fixture.hpp"

#include <csignal>
#include <cstdio>
#include <unistd.h>

// `tandem replay` with users who speak word by word.
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Tests use `--eager 1s`, so that a draft begins before the turn ends, even on a slow machine.
class replay_users : public tandem::testing::replay_test {
 protected:
    replay_users() {
        start_server(
            {.replies = {{"story<|im_end|>\n<|im_start|>assistant\n", story}, {"", "One. Two."}}});
    }

    // The prompts of all requests, in order.
    std::vector<std::string> prompts() const {
        std::vector<std::string> all;
        for (const auto& r : server_->observe().of_path("/completion")) all.push_back(r.prompt);
        return all;
    }
};

constexpr const char* dialogue = R"({"id": "c", "turns": ["tell me a story", "and now one more"]})";

TEST_F(replay_users, are_heard_while_they_speak) {
    const auto r = run({"--json", "--partials", "100ms", "-"}, dialogue);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    for (const auto& end : ends) {
        EXPECT_GT(end["usage"]["prefilled"], 0);
        EXPECT_EQ(end["usage"]["drafted"], 0);
    }
    // The users speak eight words at 150 words per minute.
    const auto summary = r.event("summary");
    EXPECT_GE(summary["total_ms"], 3200);
    EXPECT_GE(summary["tokens"]["prefilled"], ends[0]["usage"]["prefilled"]);
    EXPECT_THAT(prompts().front(), AllOf(HasSubstr("tell me"), Not(HasSubstr("assistant"))));
}

TEST_F(replay_users, have_the_draft_of_their_reply) {
    const auto r = run({"--json", "--eager", "1s", "-"}, dialogue);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    for (const auto& end : ends) {
        EXPECT_GT(end["usage"]["drafted"], 0);
        EXPECT_EQ(end["usage"]["draft_wasted"], 0);
    }
    EXPECT_EQ(ends[0]["text"], story);
}

TEST_F(replay_users, may_speak_on_after_a_draft) {
    const auto r = run({"--json", "--eager", "1s", "--revise", "1", "-"}, dialogue);
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    for (const auto& end : ends) EXPECT_GT(end["usage"]["draft_wasted"], 0);
    EXPECT_EQ(ends[0]["text"], story);
    EXPECT_GT(r.event("summary")["tokens"]["draft_wasted"], 0);
}

TEST_F(replay_users, are_told_of_in_the_text) {
    const auto r = run({"--partials", "100ms", "--eager", "1s", "--revise", "1", "-"}, dialogue);
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.out, AllOf(HasSubstr(" drafted in vain"), HasSubstr("\n  heard early "),
                             HasSubstr("\n  drafts ")));
}

TEST_F(replay_users, do_not_speak_raw_prompts) {
    const auto r = run({"--json", "--partials", "100ms", "--prompt", "a story of many words"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("end")["usage"]["prefilled"], 0);
}

TEST_F(replay_users, fall_silent_when_the_run_is_stopped) {
    auto child = start({"--partials", "1m", "-"}, dialogue);
    EXPECT_THAT(child.read_line(), HasSubstr("llama-server"));
    child.send_signal(SIGINT);
    const auto end = child.wait();
    EXPECT_EQ(end.status, 130);
    EXPECT_THAT(end.out, HasSubstr("2 replies: 2 not started"));
}

TEST_F(replay_users, speak_again_when_their_recording_is_played) {
    const auto file = testing::TempDir() + "replay_users_" + std::to_string(::getpid()) + ".rec";
    const auto recorded = run(
        {"--json", "--partials", "100ms", "--eager", "1s", "--revise", "1", "--record", file, "-"},
        dialogue);
    EXPECT_EQ(recorded.status, 0) << recorded.err;
    server_.reset();
    const auto played = run({"--json", "--from-recording", file});
    std::remove(file.c_str());
    EXPECT_EQ(played.status, 0) << played.out << played.err;
    const auto ends = played.events("end");
    ASSERT_THAT(ends, SizeIs(2));
    EXPECT_EQ(ends[0]["text"], story);
    EXPECT_GT(ends[0]["usage"]["drafted"], 0);
}

}  // namespace
