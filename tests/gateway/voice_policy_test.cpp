// Turns of the voice WebSocket that an outside policy is asked about.

#include "gateway/policy_fixture.hpp"

#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class policed_voice : public policed_gateway {
 protected:
    /// What the server was shown at last.
    std::string prompt() { return mock_server->observe().of_path("/completion").back().prompt; }
    bool nothing_was_generated() { return mock_server->observe().of_path("/completion").empty(); }
    /// The gateway has heard of so many.
    bool has_allowed(int verdicts) {
        const auto line =
            "tandem_policy_checks_total{result=\"allowed\"} " + std::to_string(verdicts);
        return client().get("/metrics").body.find(line + "\n") != std::string::npos;
    }
    /// Says a turn whose check then waits for the test's decision.
    void say_and_be_pondered(voice_client& c, const std::string& text) {
        const auto before = questions().size();
        policy_ponders(text);
        c.say(start_of(text));
        ASSERT_TRUE(policy_was_asked(before + 1));
    }
    /// The same for two turns, "Hello!" and "And you?".
    void say_two_and_be_pondered(voice_client& c) {
        say_and_be_pondered(c, "Hello!");
        say_and_be_pondered(c, "And you?");
    }
    /// Ends the session, and gives the types that came before, with the replies that they end.
    static std::vector<std::string> rest_of(voice_client& c) {
        c.say({{"type", "end"}});
        std::vector<std::string> told;
        for (auto m = c.read(); !m.is_null(); m = c.read())
            told.push_back(m["type"].get<std::string>() + " " + m.value("reply", ""));
        return told;
    }
};

TEST_F(policed_voice, begins_a_turn_that_the_policy_allows) {
    start();
    auto c = voice();
    c.say({{"type", "start"},
           {"messages", json::array({{{"role", "system"}, {"content", "Be kind."}}})},
           {"text", "Hello!"}});
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    ASSERT_THAT(questions(), SizeIs(1));
    const auto q = questions()[0].body;
    EXPECT_EQ(q["route"], "/v1/voice");
    EXPECT_EQ(q["model"], "talk");
    EXPECT_EQ(q["key"], "anonymous");
    EXPECT_EQ(q["texts"], json::array({"Be kind.", "Hello!"}));
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
    ASSERT_THAT(questions(), SizeIs(2));
    EXPECT_EQ(questions()[1].body["texts"], json::array({"And you?"})) << "what is new";
}

TEST_F(policed_voice, refuses_a_turn_that_the_policy_refuses) {
    policy_answers(whole_answer(R"({"allowed":false,"reason":"No recipes."})"));
    options.audit_prompts = true;
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto error = c.read("error");
    EXPECT_EQ(error["code"], "content_policy");
    EXPECT_EQ(error["message"], "the prompt is not allowed here: No recipes.");
    EXPECT_EQ(error["retryable"], false);
    EXPECT_EQ(error["reply"], "1");
    EXPECT_TRUE(nothing_was_generated());
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    EXPECT_EQ(json::parse(audited().front())["error"], "content_policy");
    policy_answers(whole_answer(R"({"allowed":true})"));
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(prompt(), Not(HasSubstr("Hello!"))) << "it never came into the history";
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, tells_that_a_refusal_for_want_of_the_policy_passes) {
    policy_answers(whole_answer("", "500 Oh"));
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto error = c.read("error");
    EXPECT_EQ(error["code"], "policy_unavailable");
    EXPECT_EQ(error["retryable"], true);
    EXPECT_EQ(error["retry_after_ms"], 1000);
}

TEST_F(policed_voice, asks_nothing_about_what_is_resumed) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    c.read("end");
    c.say({{"type", "resume"}});
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(questions(), SizeIs(1));
}

// --- what happens while the policy is asked

TEST_F(policed_voice, keeps_the_words_of_a_turn_that_was_interrupted_meanwhile) {
    start();
    auto c = voice();
    say_and_be_pondered(c, "Hello!");
    c.say({{"type", "interrupt"}});
    c.say({{"type", "resume"}});
    EXPECT_EQ(c.read("error")["code"], "nothing_to_resume") << "the interrupt was taken";
    policy_decides("Hello!", true);
    const auto over = c.read("end");
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["finish_reason"], "interrupted");
    EXPECT_TRUE(nothing_was_generated());
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(prompt(), AllOf(HasSubstr("Hello!"), HasSubstr("And you?")));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, forgets_the_words_of_an_interrupted_turn_that_is_refused) {
    start();
    auto c = voice();
    say_and_be_pondered(c, "Hello!");
    c.say({{"type", "interrupt"}});
    policy_decides("Hello!", false);
    const auto over = c.read("error");
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["code"], "content_policy");
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(prompt(), Not(HasSubstr("Hello!")));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, answers_the_last_of_two_turns_when_both_are_allowed) {
    start();
    auto c = voice();
    say_two_and_be_pondered(c);
    policy_decides("Hello!", true);
    const auto over = c.read("end");
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["finish_reason"], "interrupted");
    EXPECT_TRUE(nothing_was_generated());
    policy_decides("And you?", true);
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(prompt(), AllOf(HasSubstr("Hello!"), HasSubstr("And you?")));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, waits_for_the_verdict_on_the_first_turn_before_it_answers_the_second) {
    start();
    auto c = voice();
    say_two_and_be_pondered(c);
    policy_decides("And you?", true);
    ASSERT_TRUE(poll_until([&] { return has_allowed(1); }));
    EXPECT_TRUE(nothing_was_generated());
    policy_decides("Hello!", true);
    EXPECT_EQ(c.read("end")["reply"], "1");
    EXPECT_EQ(listen(c)["reply"], "2");
    EXPECT_THAT(prompt(), AllOf(HasSubstr("Hello!"), HasSubstr("And you?")));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, answers_the_second_turn_where_the_first_is_refused) {
    start();
    auto c = voice();
    say_two_and_be_pondered(c);
    policy_decides("And you?", true);
    ASSERT_TRUE(poll_until([&] { return has_allowed(1); }));
    policy_decides("Hello!", false);
    EXPECT_EQ(c.read("error")["reply"], "1");
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
    EXPECT_THAT(prompt(), Not(HasSubstr("Hello!")));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, begins_a_turn_whose_socket_was_lost_meanwhile_when_it_is_taken_up) {
    start();
    auto gone = voice();
    say_and_be_pondered(gone, "Hello!");
    const auto id = gone.read()["session"];
    gone.drop();
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    policy_decides("Hello!", true);
    EXPECT_EQ(listen(c)["text"], story);
    EXPECT_THAT(questions(), SizeIs(1));
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, tells_a_refusal_to_who_takes_the_session_up) {
    start();
    auto gone = voice();
    say_and_be_pondered(gone, "Hello!");
    const auto id = gone.read()["session"];
    gone.drop();
    policy_decides("Hello!", false);
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    EXPECT_EQ(c.read()["code"], "content_policy");
    EXPECT_THAT(rest_of(c), IsEmpty());
}

TEST_F(policed_voice, ends_the_check_when_the_session_ends) {
    policy_is_silent();
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    ASSERT_TRUE(policy_was_asked());
    EXPECT_THAT(rest_of(c), ElementsAre("ready ", "end 1"));
    EXPECT_TRUE(policy_was_left());
    EXPECT_TRUE(nothing_was_generated());
}

TEST_F(policed_voice, ends_the_check_of_a_turn_that_is_not_waited_for_any_more) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto first = c.read("chunk");
    policy_is_silent();
    c.say({{"type", "start"},
           {"messages", json::array({{{"role", "system"}, {"content", "It is noon."}}})}});
    ASSERT_TRUE(policy_was_asked(2));
    const auto stopped = stop();
    EXPECT_TRUE(policy_was_left()) << "while the reply runs";
    c.say(spoken(first));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

TEST_F(policed_voice, ends_the_check_when_the_gateway_stops) {
    policy_is_silent();
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    ASSERT_TRUE(policy_was_asked());
    const auto stopped = stop();
    const auto over = c.read("error");
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["code"], "gateway_stopping");
    EXPECT_EQ(c.close_code(), 1012);
    EXPECT_TRUE(policy_was_left());
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

}  // namespace
