// Texts that the bot speaks for a client, over the voice WebSocket.

#include "gateway/voice_fixture.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

class voice_say : public voice_gateway {
 protected:
    static json greeting() {
        return {{"type", "say"}, {"turn", "g"}, {"text", "Good evening. How may I help you?"}};
    }
    static json aside() {
        return {{"type", "say"}, {"text", "One moment, please."}, {"history", false}};
    }
    static json opening() {
        return json::parse(
            R"({"type":"start","messages":[{"role":"system","content":"Be kind."}]})");
    }
};

TEST_F(voice_say, speaks_a_greeting_that_the_model_knows_of) {
    start();
    auto c = voice();
    c.say(opening());
    c.say(greeting());
    const auto first = c.read("chunk");
    EXPECT_EQ(first["speech"], "Good evening.");
    EXPECT_EQ(first["turn"], "g");
    c.say(spoken(first));
    const auto end = listen(c);
    EXPECT_EQ(end["finish_reason"], "eos") << end;
    EXPECT_EQ(end["turn"], "g");
    EXPECT_EQ(end["text"], "Good evening. How may I help you?");
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
    EXPECT_THAT(last_prompt(), HasSubstr("assistant\nGood evening. How may I help you?<"));
}

TEST_F(voice_say, keeps_of_a_greeting_what_was_heard) {
    start();
    auto c = voice();
    c.say(opening());
    c.say(greeting());
    const auto first = c.read("chunk");
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", first["id"]}, {"chars", 4}}}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    c.say(start_of("And you?"));
    listen(c);
    EXPECT_THAT(last_prompt(), HasSubstr("assistant\nGood<"));
}

TEST_F(voice_say, continues_after_a_false_alarm) {
    start();
    auto c = voice();
    c.say(opening());
    c.say(greeting());
    c.say(spoken(c.read("chunk")));
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    c.read("end");
    c.say({{"type", "resume"}, {"turn", "h"}});
    const auto rest = c.read("chunk");
    EXPECT_EQ(rest["speech"], "How may I help you?");
    EXPECT_EQ(rest["turn"], "h");
}

TEST_F(voice_say, speaks_after_the_running_reply_and_leaves_no_trace_without_history) {
    start();
    auto c = voice();
    c.say(start_of("And you?"));
    const auto first = c.read("chunk");
    c.say(aside());
    c.say(spoken(first));
    EXPECT_EQ(listen(c)["reply"], "1");
    EXPECT_EQ(listen(c)["text"], "One moment, please.");
    c.say(start_of("Long"));
    c.read("chunk");
    EXPECT_THAT(last_prompt(), HasSubstr("Fine. Thanks. And well rested.<"));
    EXPECT_THAT(last_prompt(), Not(HasSubstr("One moment")));
}

TEST_F(voice_say, can_interrupt_what_history_does_not_keep) {
    start();
    auto c = voice();
    c.say(opening());
    c.say(aside());
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    c.say({{"type", "resume"}});
    EXPECT_EQ(c.read("error")["code"], "nothing_to_resume");
}

TEST_F(voice_say, prepares_chunks_early_as_the_session_wants) {
    start();
    auto c = voice();
    auto first = opening();
    first["options"] = {{"lookahead", 1}};
    c.say(first);
    c.say(greeting());
    c.read("chunk");
    EXPECT_EQ(c.read("chunk")["early"], true);
}

TEST_F(voice_say, is_spoken_whole_whatever_the_options_for_generated_text) {
    start();
    auto c = voice();
    auto first = opening();
    first["options"] = {{"max_tokens", 1}, {"stop", {"evening"}}, {"json_schema", json::object()}};
    c.say(first);
    c.say(greeting());
    EXPECT_EQ(listen(c)["text"], "Good evening. How may I help you?");
}

TEST_F(voice_say, is_refused_without_a_session_and_with_a_denied_word) {
    options.prompts.denied = {"evening"};
    start();
    auto c = voice();
    c.say(greeting());
    EXPECT_EQ(c.read()["code"], "no_session");
    c.say(opening());
    c.say(greeting());
    const auto refused = c.read("error");
    EXPECT_EQ(refused["code"], "content_policy") << refused;
    EXPECT_EQ(refused["turn"], "g");
}

}  // namespace
