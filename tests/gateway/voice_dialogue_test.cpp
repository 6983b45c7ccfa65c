// Dialogues over the voice WebSocket, and reconnecting clients.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

// --- turns

TEST_F(voice_gateway, paces_a_whole_dialogue) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto ready = c.read();
    EXPECT_EQ(ready["type"], "ready");
    EXPECT_EQ(ready["model"], "talk");
    EXPECT_EQ(ready["limits"]["continue_timeout_ms"], 30000);
    std::string text;
    const auto first = listen(c, text);
    EXPECT_EQ(text, story);
    EXPECT_EQ(first["text"], story);
    EXPECT_EQ(first["finish_reason"], "eos");
    c.say(start_of("And you?"));
    const auto second = listen(c);
    EXPECT_EQ(second["text"], "Fine. Thanks. And well rested.");
    EXPECT_EQ(second["reply"], "2");
    EXPECT_THAT(mock_server->observe().of_path("/completion").back().prompt, HasSubstr(story));
    c.say({{"type", "end"}});
    EXPECT_EQ(c.close_code(), 1000);
}

// If the stale continue released a chunk, the chunk would arrive before the error of the refused
// message.
TEST_F(voice_gateway, sends_a_chunk_only_after_the_continue_of_the_one_before) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto first = c.read("chunk");
    c.say({{"type", "continue"}, {"chunk", "1-7"}});
    c.say({{"type", "dance"}});
    const auto m = c.read();
    EXPECT_EQ(m["code"], "unknown_type") << m;
    EXPECT_EQ(m["param"], "type");
    c.say(spoken(first));
    EXPECT_EQ(c.read()["id"], "1-1");
}

TEST_F(voice_gateway, ends_a_reply_at_an_interrupt_and_keeps_what_was_heard) {
    start();
    auto c = voice();
    c.say(start_of("Long"));
    const auto first = c.read("chunk");
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", first["id"]}, {"chars", 6}}}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["reply"], "2");
    const auto prompt = mock_server->observe().of_path("/completion").back().prompt;
    EXPECT_THAT(prompt, HasSubstr("assistant\nAll is<"));
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(voice_gateway, keeps_nothing_of_an_early_chunk_that_an_interrupt_leaves_unspoken) {
    start();
    auto c = voice();
    auto turn = start_of("Long");
    turn["options"] = {{"lookahead", 1}};
    c.say(turn);
    const auto first = c.read("chunk");
    const auto second = c.read("chunk");
    EXPECT_EQ(second["early"], true) << second;
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", first["id"]}, {"chars", 6}}}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    c.say(start_of("And you?"));
    listen(c);
    const auto prompt = mock_server->observe().of_path("/completion").back().prompt;
    EXPECT_THAT(prompt, HasSubstr("assistant\nAll is<"));
}

TEST_F(voice_gateway, speaks_each_word_once_to_a_client_with_lookahead) {
    start();
    auto c = voice();
    auto turn = start_of("Hello!");
    turn["options"] = {{"lookahead", 8}};
    c.say(turn);
    std::string text;
    EXPECT_EQ(listen(c, text)["finish_reason"], "eos");
    EXPECT_EQ(text, story);
}

TEST_F(voice_gateway, sends_further_fields_of_sampling_with_each_request_of_a_reply) {
    options.service.client.pacing.mode = pacing::strict;
    start();
    auto c = voice();
    auto first = start_of("Long");
    first["options"] = {{"logit_bias", {{"5", -100}}}};
    c.say(first);
    listen(c);
    const auto requests = mock_server->observe().of_path("/completion");
    EXPECT_GT(requests.size(), 1u);
    for (const auto& r : requests)
        EXPECT_EQ(json::parse(r.body)["logit_bias"], json({{"5", -100}}));
}

TEST_F(voice_gateway, lets_the_user_talk_over_a_reply) {
    start();
    auto c = voice();
    c.say(start_of("Long"));
    c.say(spoken(c.read("chunk")));
    c.read("chunk");
    c.say(start_of("And you?"));
    const auto over = c.read("end");
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["finish_reason"], "interrupted");
    EXPECT_EQ(listen(c)["text"], "Fine. Thanks. And well rested.");
}

TEST_F(voice_gateway, speaks_on_after_what_was_no_barge_in) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    c.say(spoken(c.read("chunk")));
    const auto second = c.read("chunk");
    c.say({{"type", "interrupt"}, {"heard", {{"chunk", second["id"]}, {"chars", 3}}}});
    c.read("end");
    c.say({{"type", "resume"}});
    std::string rest;
    EXPECT_EQ(listen(c, rest)["finish_reason"], "eos");
    EXPECT_EQ(rest, " are you? I am very well today, thank you.");
}

TEST_F(voice_gateway, answers_a_raw_prompt_that_no_history_knows) {
    server_options.replies.push_back({"Once upon", " a time."});
    start();
    auto c = voice();
    c.say({{"type", "start"}, {"prompt", "Once upon"}});
    c.read("ready");
    EXPECT_EQ(listen(c)["text"], " a time.");
    c.say(start_of("Hello!"));
    EXPECT_EQ(listen(c)["text"], story);
    EXPECT_THAT(mock_server->observe().of_path("/completion").back().prompt,
                Not(HasSubstr("Once upon")));
}

TEST_F(voice_gateway, refuses_what_the_policy_denies) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    c.say(start_of("Give me the SECRET sauce!"));
    const auto error = c.read("error");
    EXPECT_EQ(error["code"], "content_policy");
    EXPECT_EQ(error["reply"], "1");
    EXPECT_TRUE(mock_server->observe().of_path("/completion").empty());
}

TEST_F(voice_gateway, lets_a_reply_go_on_if_the_policy_denies_the_next_turn) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    const auto first = c.read("chunk");
    c.say(start_of("Give me the secret sauce!"));
    EXPECT_EQ(c.read("error")["code"], "content_policy");
    c.say(spoken(first));
    EXPECT_EQ(listen(c)["finish_reason"], "eos");
}

TEST_F(voice_gateway, looks_for_what_is_denied_in_the_mark_of_interrupted_turns_too) {
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    auto m = start_of("Hello!");
    m["conversation"] = {{"interrupted_mark", " (secret sauce)"}};
    c.say(m);
    EXPECT_EQ(c.read("error")["code"], "content_policy");
    c.say(start_of("Hello!"));
    EXPECT_EQ(c.read("error")["code"], "content_policy") << "the id of the session";
}

TEST_F(voice_gateway, cuts_and_speaks_the_replies_of_each_session_as_its_start_says) {
    answers_with("Wann?", "Am **3. Mai**. Gern.");
    start();
    const auto first_speech = [&](const json& options) {
        auto c = voice();
        auto m = start_of("Wann?");
        m["options"] = options;
        c.say(m);
        return c.read("chunk")["speech"];
    };
    EXPECT_EQ(first_speech({{"language", "de"}}), "Am 3. Mai.");
    EXPECT_EQ(first_speech({{"language", "en"}}), "Am 3.");
    EXPECT_EQ(first_speech({{"language", "de"}, {"speech", "exact"}}), "Am **3. Mai**.");
    EXPECT_EQ(first_speech({{"pacing", "strict"}, {"first_chunk_max_tokens", 1}}), "Am");
}

TEST_F(voice_gateway, has_a_line_in_the_audit_for_a_turn_that_is_refused) {
    options.audit_prompts = true;
    options.prompts.denied = {"secret sauce"};
    start();
    auto c = voice();
    c.say(start_of("Secret sauce?"));
    c.read("error");
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); }));
    const auto refused = json::parse(audited().front());
    EXPECT_EQ(refused["status"], 400);
    EXPECT_EQ(refused["error"], "content_policy");
    EXPECT_THAT(refused["prompt"].get<std::string>(), HasSubstr("Secret sauce?"));
    c.say(start_of("Hello!"));
    EXPECT_EQ(listen(c)["text"], story);
    ASSERT_TRUE(poll_until([&] { return audited().size() == 2; }));
    EXPECT_THAT(json::parse(audited().back())["prompt"].get<std::string>(),
                Not(HasSubstr("ecret sauce")));
}

TEST_F(voice_gateway, has_what_was_said_in_the_audit_where_prompts_are_to_be_there) {
    options.audit_prompts = true;
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    listen(c);
    ASSERT_TRUE(poll_until([&] { return !audited().empty(); })) << "the audit line follows the end";
    EXPECT_THAT(json::parse(audited().front())["prompt"].get<std::string>(), HasSubstr("Hello!"));
}

TEST_F(voice_gateway, ends_a_reply_once_when_its_server_dies) {
    server_options.faults = {{.kind = mock::fault_kind::crash, .at_token = 3}};
    start();
    auto c = voice();
    c.say(start_of("Long"));
    c.read("ready");
    const auto last = listen(c);
    EXPECT_EQ(last["type"], "error") << last;
    EXPECT_EQ(last["code"], "stream_incomplete");
    EXPECT_EQ(last["reply"], "1");
    c.say({{"type", "end"}});
    EXPECT_EQ(c.read(), json()) << "nothing but the close follows";
}

TEST_F(voice_gateway, lets_a_reply_continue_when_its_connection_is_lost) {
    options.service.client.failover.retries = 3;
    server_options.faults = {{.kind = mock::fault_kind::reset, .at_token = 3}};
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    c.read("ready");
    EXPECT_EQ(listen(c)["text"], story);
}

// --- reconnecting clients

TEST_F(voice_gateway, continues_with_the_unheard_chunk_when_a_session_is_taken_up) {
    start();
    auto gone = voice();
    gone.say(start_of("Hello!"));
    const auto id = gone.read()["session"];
    gone.say(spoken(gone.read("chunk")));
    const auto unheard = gone.read("chunk");
    gone.drop();
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    const auto over = c.read();
    EXPECT_EQ(over["reply"], "1");
    EXPECT_EQ(over["finish_reason"], "interrupted");
    std::string rest;
    EXPECT_EQ(listen(c, rest)["finish_reason"], "eos");
    EXPECT_EQ(rest, unheard["text"].get<std::string>() + " I am very well today, thank you.");
}

TEST_F(voice_gateway, stops_the_server_when_a_socket_is_gone) {
    server_options.tokens_per_second = 20;
    start();
    auto c = voice();
    c.say(start_of("Long"));
    c.read("chunk");
    c.drop();
    EXPECT_TRUE(server_sees(mock::outcome::cut));
}

TEST_F(voice_gateway, closes_a_socket_whose_session_another_one_takes_over) {
    start();
    auto old = voice();
    old.say(start_of("Hello!"));
    const auto id = old.read()["session"];
    old.read("chunk");
    auto c = voice();
    c.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(c.read()["resumed"], true);
    EXPECT_EQ(old.close_code(), 4001);
    EXPECT_EQ(c.read()["reply"], "1");
    EXPECT_EQ(listen(c)["text"], story) << "no part of it was heard";
}

TEST_F(voice_gateway, makes_room_with_the_session_that_was_left_alone) {
    options.voice.sessions_per_key = 1;
    start();
    auto one = voice();
    one.say({{"type", "start"}});
    const auto id = one.read()["session"];
    auto two = voice();
    two.say({{"type", "start"}});
    EXPECT_EQ(two.read()["code"], "too_many_sessions");
    one.drop();
    json ready;
    while (ready.is_null() || ready["type"] == "error") {  // the gateway may detect the loss late
        two.say({{"type", "start"}});
        ready = two.read();
        ASSERT_FALSE(ready.is_null());
    }
    EXPECT_NE(ready["session"], id);
    auto three = voice();
    three.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(three.read()["code"], "session_not_found");
}

// --- documentation

/// The lines of the dialogue in docs/voice-websocket.md.
std::vector<std::string> documented_dialogue() {
    std::ifstream in(TANDEM_SOURCE_DIR "/docs/voice-websocket.md");
    std::vector<std::string> found;
    for (std::string line; std::getline(in, line) && line != "## What the client says";)
        for (const char* mark : {"    → ", "    ← ", "    ✗ "})
            if (line.starts_with(mark)) found.push_back(line.substr(4));
    return found;
}

TEST_F(voice_gateway, reports_what_the_documents_say) {
    answers_with("Do you have a table?", "Yes, we do! How many of you are coming?");
    answers_with("Four. By the window?",
                 "We can seat four at the window from eight. Shall I book it?");
    server_options.tool_template = true;
    answers_with("Yes, for four.",
                 "One moment.<tool_call>\n{\"name\": \"book\", \"arguments\": {\"guests\": "
                 "4}}\n</tool_call>");
    server_options.replies.push_back(
        {mock::render_prompt({{"tool", R"({"booked":true})"}}), "Your table is booked."});
    start();
    std::optional<voice_client> c;
    c.emplace(port);
    std::string session;
    json call_id;
    const auto lines = documented_dialogue();
    ASSERT_GT(lines.size(), 20u);
    for (const auto& line : lines) {
        const auto at = line.find('{');
        if (line.find("is gone") != line.npos) {
            c->drop();
            c.emplace(port);
            continue;
        }
        if (at == line.npos) break;  // the gateway closes
        auto said = json::parse(line.substr(at));
        if (line.starts_with("→")) {
            if (said.contains("session")) said["session"] = session;
            if (said["type"] == "result") said["call"] = call_id;
            c->say(said);
            continue;
        }
        const auto heard = c->read();
        said.erase("boundary");  // timing decides the boundary of a last chunk
        if (said["type"] == "ready") {
            if (session.empty()) session = heard["session"];
            said["session"] = session;
        }
        if (said["type"] == "call") said["id"] = call_id = heard["id"];
        for (const auto& [key, value] : said.items())
            EXPECT_EQ(heard.value(key, json()), value) << line;
    }
    EXPECT_EQ(c->close_code(), 1000);
}

}  // namespace
