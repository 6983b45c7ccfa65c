// Functions over the voice WebSocket, with a server whose template knows tools.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto clock_call =
    "<tool_call>\n{\"name\": \"clock\", \"arguments\": {\"zone\": \"UTC\"}}\n</tool_call>";

class voice_tools : public voice_gateway {
 protected:
    voice_tools() {
        server_options.tool_template = true;
        answers_with("What time is it?", std::string("One moment.\n") + clock_call);
        server_options.replies.push_back(
            {mock::render_prompt({{"tool", "noon"}}), "It is noon. Is it late?"});
    }
    static json question() {
        auto turn = start_of("What time is it?");
        turn["turn"] = "t1";
        turn["options"]["tools"] = json::parse(R"([{"type":"function","function":{"name":"clock",
            "parameters":{"type":"object","properties":{"zone":{"type":"string"}}}}}])");
        return turn;
    }
    static json result_of(const json& call, const std::string& content = "noon") {
        return {{"type", "result"}, {"call", call["id"]}, {"content", content}};
    }
};

TEST_F(voice_tools, calls_a_function_while_it_speaks_and_answers_with_the_result) {
    start();
    auto c = voice();
    c.say(question());
    const auto words = c.read("chunk");
    EXPECT_EQ(words["speech"], "One moment.");
    const auto call = c.read();
    EXPECT_EQ(call["type"], "call") << call;
    EXPECT_EQ(call["turn"], "t1");
    EXPECT_EQ(call["name"], "clock");
    EXPECT_EQ(call["arguments"], json({{"zone", "UTC"}}));
    EXPECT_EQ(call["after"], words["id"]);
    const auto end = c.read();
    EXPECT_EQ(end["finish_reason"], "tool_calls") << end;
    EXPECT_EQ(end["text"], words["text"]);
    c.say(result_of(call));
    const auto answer = c.read("chunk");
    EXPECT_EQ(answer["reply"], "2");
    EXPECT_EQ(answer["turn"], "t1");
    EXPECT_EQ(answer["speech"], "It is noon.");
    c.say(spoken(words));
    c.say(spoken(answer));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    EXPECT_THAT(last_prompt(), HasSubstr(clock_call));
}

TEST_F(voice_tools, drops_a_call_at_a_barge_in_and_lets_the_model_know) {
    start();
    auto c = voice();
    c.say(question());
    const auto call = c.read("call");
    c.read("end");
    c.say(start_of("And you?"));
    const auto dropped = c.read("call_dropped");
    EXPECT_EQ(dropped["call"], call["id"]);
    EXPECT_EQ(dropped["reason"], "interrupted");
    c.say(result_of(call));
    EXPECT_EQ(c.read("error")["code"], "unknown_call");
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    EXPECT_THAT(last_prompt(), HasSubstr("No result: interrupted."));
}

TEST_F(voice_tools, talks_on_while_a_result_is_to_come_and_reads_it_in_the_next_turn) {
    server_options.replies.push_back(
        {mock::render_prompt({{"tool", "The result comes later."}}), "I am looking."});
    start();
    auto c = voice();
    c.say(question());
    const auto call = c.read("call");
    c.read("end");
    c.say({{"type", "result"}, {"call", call["id"]}, {"later", true}});
    const auto answer = c.read("chunk");
    EXPECT_EQ(answer["speech"], "I am looking.");
    c.say(spoken(answer));
    c.read("end");
    c.say(result_of(call));
    c.say(start_of("And?"));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    EXPECT_THAT(last_prompt(), HasSubstr("Result of clock {\"zone\": \"UTC\"}: noon\nAnd?"));
}

TEST_F(voice_tools, speaks_at_once_of_a_late_result_that_a_start_contains) {
    server_options.replies.push_back(
        {mock::render_prompt({{"tool", "The result comes later."}}), "I am looking."});
    server_options.replies.push_back(
        {mock::render_prompt({{"user", "Result of clock {\"zone\": \"UTC\"}: noon"}}),
         "It is noon."});
    start();
    auto c = voice();
    c.say(question());
    const auto call = c.read("call");
    c.read("end");
    c.say({{"type", "result"}, {"call", call["id"]}, {"later", true}});
    c.say(spoken(c.read("chunk")));
    c.read("end");
    const json late{{"role", "tool"}, {"tool_call_id", call["id"]}, {"content", "noon"}};
    c.say({{"type", "start"}, {"messages", json::array({late})}});
    EXPECT_EQ(c.read("chunk")["speech"], "It is noon.");
}

TEST_F(voice_tools, keeps_a_result_of_a_dropped_call_on_request) {
    start();
    auto c = voice();
    c.say(question());
    const auto call = c.read("call");
    c.read("end");
    c.say({{"type", "interrupt"}});
    const auto dropped = c.read("call_dropped");
    EXPECT_EQ(dropped["reply"], "1");
    EXPECT_EQ(dropped["turn"], "t1");
    auto result = result_of(call);
    result["keep"] = true;
    c.say(result);
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
    EXPECT_THAT(last_prompt(), HasSubstr("noon"));
    EXPECT_THAT(last_prompt(), Not(HasSubstr("No result: interrupted.")));
}

TEST_F(voice_tools, has_a_result_for_a_function_that_takes_too_long) {
    options.voice.call_timeout = 1s;
    server_options.replies.push_back(
        {mock::render_prompt({{"tool", "No result: the function took too long."}}),
         "The clock is slow."});
    start();
    auto c = voice();
    c.say(question());
    c.read("end");
    EXPECT_EQ(c.read("call_dropped")["reason"], "timeout");
    EXPECT_EQ(c.read("chunk")["speech"], "The clock is slow.");
}

TEST_F(voice_tools, refuses_a_result_with_a_denied_word) {
    options.prompts.denied = {"midnight"};
    start();
    auto c = voice();
    c.say(question());
    const auto call = c.read("call");
    c.read("end");
    c.say(result_of(call, "It is midnight."));
    const auto refused = c.read("error");
    EXPECT_EQ(refused["code"], "content_policy") << refused;
    EXPECT_EQ(refused["reply"], "2");
    EXPECT_EQ(refused["turn"], "t1");
}

TEST_F(voice_tools, has_words_for_the_time_while_a_function_runs) {
    start();
    auto c = voice();
    c.say(question());
    const auto words = c.read("chunk");
    const auto call = c.read("call");
    c.read("end");
    c.say({{"type", "say"}, {"turn", "t1"}, {"text", "I am looking."}, {"history", false}});
    c.say(spoken(words));
    const auto filler = c.read();
    EXPECT_EQ(filler["speech"], "I am looking.") << filler;
    c.say(result_of(call));
    c.say(spoken(filler));
    EXPECT_EQ(c.read()["type"], "end");
    const auto answer = c.read();
    EXPECT_EQ(answer["speech"], "It is noon.") << answer;
    EXPECT_EQ(answer["turn"], "t1");
    EXPECT_THAT(last_prompt(), HasSubstr(clock_call));
    EXPECT_THAT(last_prompt(), Not(HasSubstr("I am looking.")));
}

TEST_F(voice_tools, prepares_the_prompt_of_the_next_turn_while_a_greeting_is_spoken) {
    start();
    auto c = voice();
    auto first = question();
    const auto user = first["text"];
    first.erase("text");
    c.say(first);
    c.say({{"type", "say"}, {"text", "Good evening."}});
    listen(c);
    const auto is_prefilled = [&] {
        const auto requests = mock_server->observe().of_path("/completion");
        return !requests.empty() && requests.back().prompt.find("clock") != std::string::npos;
    };
    EXPECT_TRUE(poll_until(is_prefilled));
    c.say(start_of(user));
    EXPECT_EQ(c.read("call")["name"], "clock");
}

TEST_F(voice_tools, speaks_the_rest_before_a_call_when_an_interrupted_turn_is_resumed) {
    start();
    auto c = voice();
    c.say(question());
    const auto words = c.read("chunk");
    c.read("end");
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", words["id"]}, {"chars", 3}}}});
    const auto dropped = c.read("call_dropped");
    c.say({{"type", "resume"}, {"turn", "t2"}});
    const auto rest = c.read("chunk");
    EXPECT_EQ(rest["turn"], "t2");
    EXPECT_EQ(rest["speech"], "moment.");
    auto result = result_of({{"id", dropped["call"]}});
    result["keep"] = true;
    c.say(result);
    c.say(spoken(rest));
    EXPECT_EQ(c.read("end")["finish_reason"], "tool_calls");
    const auto answer = c.read("chunk");
    EXPECT_EQ(answer["turn"], "t2");
    EXPECT_EQ(answer["speech"], "It is noon.");
    EXPECT_THAT(last_prompt(), HasSubstr(std::string("One moment.\n") + clock_call));
}

TEST_F(voice_tools, speaks_the_rest_before_a_call_if_its_result_was_to_be_spoken) {
    start();
    auto c = voice();
    c.say(question());
    const auto words = c.read("chunk");
    c.say(result_of(c.read("call")));
    const auto answer = c.read("chunk");
    EXPECT_EQ(answer["early"], true);
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", words["id"]}, {"chars", 3}}}});
    c.say({{"type", "resume"}});
    const auto rest = c.read("chunk");
    EXPECT_EQ(rest["speech"], "moment.");
    EXPECT_EQ(rest["filler"], true);
    c.say(spoken(rest));
    EXPECT_EQ(c.read("chunk")["speech"], answer["speech"]);
}

TEST_F(voice_tools, speaks_the_rest_before_a_call_after_a_lost_connection) {
    start();
    auto c = voice();
    c.say(question());
    const auto session = c.read("ready")["session"];
    const auto words = c.read("chunk");
    const auto call = c.read("call");
    c.read("end");
    c.drop();
    auto again = voice();
    again.say({{"type", "start"},
               {"session", session},
               {"last", {{"chunk", words["id"]}, {"said", "One"}}}});
    EXPECT_EQ(again.read("call_dropped")["call"], call["id"]);
    const auto rest = again.read("chunk");
    EXPECT_EQ(rest["reply"], "2");
    EXPECT_EQ(rest["turn"], "t1");
    EXPECT_EQ(rest["speech"], "moment.");
    again.say(spoken(rest));
    EXPECT_EQ(again.read("chunk")["reply"], "3");
    EXPECT_THAT(last_prompt(), HasSubstr(std::string("One moment.\n") + clock_call));
    EXPECT_THAT(last_prompt(), HasSubstr("No result: interrupted."));
}

}  // namespace
