#include "replay_fixture.hpp"

#include <algorithm>
#include <set>

namespace {

using tandem::testing::json;
using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class replay_conversations : public tandem::testing::replay_test {
 protected:
    void start_talking_server(tandem::mock::options o = {}) {
        o.replies = {
            {said("story"), story}, {said("count"), "One. Two. Three."}, {"count", "One."}};
        start_server(std::move(o));
    }
    // The end of a prompt whose last user message is `text`.
    static std::string said(const std::string& text) {
        return text + "<|im_end|>\n<|im_start|>assistant\n";
    }
    // The prompt of the last completion request.
    std::string last_prompt() const {
        const auto requests = server_->observe().of_path("/completion");
        return requests.empty() ? std::string() : requests.back().prompt;
    }
};

constexpr const char* chat = R"({"id": "c", "turns": ["story", "count"]})";

TEST_F(replay_conversations, give_no_warning_of_slots_that_were_not_asked_for) {
    start_talking_server({.parallel = 1});
    EXPECT_EQ(run({"--json", "--user", "count"}).err, "");
}

TEST_F(replay_conversations, warn_once_of_a_server_with_too_few_slots) {
    start_talking_server({.parallel = 1});
    const auto err = run({"--json", "-", "--slots", "2"}, chat).err;
    EXPECT_THAT(err, HasSubstr("slots is 2, but the server has 1"));
    EXPECT_EQ(err.find("slots is"), err.rfind("slots is")) << err;
}

TEST_F(replay_conversations, keep_of_an_interrupted_turn_what_was_heard) {
    start_talking_server();
    // Speaking the first chunk takes 2 s, so the interrupt after 1 s comes in its middle.
    const auto r = run({"--json", "--tts", "wpm=180", "-"},
                       R"({"turns": ["story", "count"], "interrupt_after_ms": 1000})");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.events("end")[0]["finish_reason"], "interrupted");
    EXPECT_THAT(last_prompt(), AllOf(HasSubstr("A fox"), Not(HasSubstr("night"))));
}

TEST_F(replay_conversations, keep_of_an_interrupted_turn_what_they_are_told_to) {
    const auto prompt_after = [this](const char* policy) {
        start_talking_server();
        run({"--json", "--tts", "wpm=9", "--interrupted", policy, "--interrupted-mark", "—", "-"},
            R"({"turns": ["story", "count"], "interrupt_after_ms": 200})");
        return last_prompt();
    };
    EXPECT_THAT(prompt_after("handed_over"), HasSubstr("A fox went out at night.—<|im_end|>"));
    EXPECT_THAT(prompt_after("none"), Not(HasSubstr("A fox")));
}

TEST_F(replay_conversations, count_what_was_heard_of_a_chunk_that_is_interrupted) {
    start_talking_server();
    const auto r = run({"--json", "--tts", "wpm=60", "-"},
                       R"({"turns": ["story"], "interrupt_after_ms": 4000})");
    const auto usage = r.events("end")[0]["usage"];
    EXPECT_GT(usage["heard"], 0);
    EXPECT_LT(usage["heard"], usage["handed_over"]);
    EXPECT_EQ(r.event("summary")["tokens"]["heard"], usage["heard"]);
}

TEST_F(replay_conversations, continue_with_their_turns_after_an_interrupt) {
    start_talking_server();
    const auto r = run({"--json", "--tts", "wpm=9", "-"},
                       R"({"turns": ["story", "count"], "interrupt_after_ms": 30})");
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_THAT(r.events("end"), SizeIs(2));
    EXPECT_THAT(last_prompt(), Not(HasSubstr("A fox")));
}

TEST_F(replay_conversations, keep_a_whole_turn) {
    start_talking_server();
    EXPECT_EQ(run({"--json", "-"}, chat).status, 0);
    EXPECT_THAT(last_prompt(), HasSubstr(story));
}

TEST_F(replay_conversations, name_their_server) {
    start_talking_server();
    const auto r = run({"--json", "-"}, chat);
    for (const auto& e : r.events("end")) EXPECT_EQ(e["server"], server_->url());
    for (const auto& e : r.events("chunk")) EXPECT_EQ(e["server"], server_->url());
}

TEST_F(replay_conversations, use_all_slots_unless_told_otherwise) {
    const auto slots_used = [this](std::vector<std::string> more) {
        start_talking_server({.parallel = 4, .tokens_per_second = 100});
        more.insert(more.end(), {"--json", "--concurrency", "3", "--user", "1 count", "--user",
                                 "2 count", "--user", "3 count"});
        EXPECT_EQ(run(more).status, 0);
        std::set<int> slots;
        for (const auto& r : server_->observe().of_path("/completion")) slots.insert(r.slot);
        return slots;
    };
    EXPECT_THAT(slots_used({}), SizeIs(3));
    EXPECT_THAT(slots_used({"--slots", "2"}), SizeIs(2));
}

TEST_F(replay_conversations, come_after_the_raw_prompts_of_their_file) {
    start_server();
    const auto r =
        run({"--json", "-"}, std::string(chat) + "\n{\"id\": \"raw\", \"prompt\": \"count\"}\n");
    EXPECT_EQ(r.status, 0) << r.err;
    const auto ends = r.events("end");
    ASSERT_THAT(ends, SizeIs(3));
    EXPECT_EQ(ends[0]["id"], "raw");
    EXPECT_EQ(ends[1]["id"], "c");
}

TEST_F(replay_conversations, let_the_guard_pass_after_raw_prompts) {
    start_talking_server({.parallel = 1});
    const auto r =
        run({"--reuse-guard", "100ms", "--json", "--prompt", "count", "--user", "count"});
    EXPECT_EQ(r.status, 0) << r.err;
    const auto requests = server_->observe().of_path("/completion");
    ASSERT_GE(requests.size(), 2u);
    for (std::size_t i = 1; i < requests.size(); ++i)
        EXPECT_GE(requests[i].arrived - *requests[i - 1].ended, std::chrono::milliseconds(95));
}

TEST_F(replay_conversations, do_not_wait_for_the_guard_of_raw_prompts_on_other_slots) {
    start_talking_server({.parallel = 2});
    const auto r = run({"--reuse-guard", "10s", "--pacing", "stream", "--json", "--prompt", "count",
                        "--user", "count"});
    EXPECT_EQ(r.status, 0) << r.err;
    EXPECT_EQ(r.event("summary")["guard_waits"], 0);
    EXPECT_LT(r.event("summary")["total_ms"], 10'000);
}

TEST_F(replay_conversations, may_be_several_of_each_dialogue) {
    start_talking_server();
    const auto r = run({"--json", "--conversations", "3", "-"}, chat);
    EXPECT_EQ(r.status, 0) << r.err;
    std::set<std::string> ids;
    for (const auto& e : r.events("end")) ids.insert(e["id"]);
    EXPECT_THAT(ids, ElementsAre("c#1", "c#2", "c#3"));
    EXPECT_EQ(r.event("summary")["complete"], 6);
}

TEST_F(replay_conversations, run_raw_prompts_as_often) {
    start_server();
    const auto r = run({"--json", "--conversations", "2", "--prompt", "count"});
    EXPECT_EQ(r.event("summary")["complete"], 2);
}

TEST_F(replay_conversations, are_summed_up) {
    start_talking_server();
    const auto r = run({"--json", "--conversations", "2", "-"}, chat);
    const auto figures = r.event("summary")["conversations"];
    EXPECT_EQ(figures["count"], 2);
    EXPECT_EQ(figures["turns"], 4);
    EXPECT_THAT(r.out, Not(HasSubstr("history")));
}

TEST_F(replay_conversations, report_how_long_they_waited_for_a_slot) {
    start_talking_server({.parallel = 1, .tokens_per_second = 100});
    const auto r = run({"--json", "--concurrency", "2", "--user", "story", "--user", "story"});
    double longest = 0;
    for (const auto& end : r.events("end"))
        longest = std::max(longest, end["first_slot_wait_ms"].get<double>());
    EXPECT_GT(longest, 5);
    EXPECT_GE(r.event("summary")["slot_wait_ms"]["max"], longest);
}

TEST_F(replay_conversations, report_that_their_only_server_died) {
    start_talking_server(
        {.faults = {{.kind = tandem::mock::fault_kind::crash, .at_token = 2, .skip = 1}}});
    const auto r =
        run({"--json", "--retries", "0", "-"}, std::string(chat) + "\n{\"turns\": [\"count\"]}\n");
    EXPECT_EQ(r.status, 1);
    const auto errors = r.events("error");
    ASSERT_THAT(errors, SizeIs(2));
    EXPECT_EQ(errors[0]["id"], "c");
    EXPECT_EQ(errors[0]["code"], "stream_incomplete");
    EXPECT_EQ(errors[1]["id"], "p2");
    // While it crashes, the server may still accept a connection, and then break it.
    EXPECT_THAT(errors[1]["code"], AnyOf("connect_failed", "no_model", "stream_incomplete"));
    EXPECT_EQ(r.event("summary")["servers"][0]["state"], "down");
}

}  // namespace
