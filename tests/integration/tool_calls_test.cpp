// Conversations whose model calls functions.

#include "service_fixture.hpp"

#include "tandem/config_fields.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr auto call_text =
    "One moment, please.\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": "
    "\"UTC\"}}\n</tool_call>";

class a_calling_conversation : public service_and_mocks {
 protected:
    a_calling_conversation() {
        server_options.tool_template = true;
        server_options.replies = {{mock::render_prompt({{"tool", "12:00"}}), "It is noon."},
                                  {"", call_text}};
    }

    static generation_options with_tools() {
        return {.tools = R"([{"type":"function","function":{"name":"get_time","parameters":)"
                         R"({"type":"object","properties":{"zone":{"type":"string"}}}}}])"};
    }
    conversation ask(const std::string& question = "What time is it?") {
        auto talk = bots->create();
        talk.append({.role = "user", .content = question});
        return talk;
    }
    called_functions calls_of(consumer& reply) {
        std::optional<called_functions> all;
        reply.handle().async_tool_calls(
            [&](error_code, called_functions called) { all = std::move(called); });
        EXPECT_TRUE(loop.run_until([&] { return all.has_value(); }));
        return all.value_or(called_functions());
    }
    consumer run(reply r, consumer::listener on_chunk = consumer::continue_at_once) {
        consumer c(std::move(r), std::move(on_chunk));
        loop.run_to_end(c);
        return c;
    }
    std::vector<std::string> roles(conversation& talk) {
        std::vector<std::string> all;
        for (const auto& m : state_of(talk).history) all.push_back(m.role);
        return all;
    }
};

TEST_F(a_calling_conversation, reports_the_call_while_the_words_before_it_are_spoken) {
    start();
    auto talk = ask();
    consumer reply(talk.generate(with_tools()), consumer::do_not_continue);
    const auto called = calls_of(reply);
    ASSERT_THAT(called.calls, SizeIs(1));
    EXPECT_EQ(called.calls[0].name, "get_time");
    EXPECT_EQ(called.calls[0].arguments, R"({"zone": "UTC"})");
    EXPECT_THAT(called.calls[0].id, Not(IsEmpty()));
    ASSERT_TRUE(called.after);
    EXPECT_EQ(called.after->seq, 0u);
    loop.run_to_end(reply);
    ASSERT_THAT(reply.chunks(), SizeIs(1));
    EXPECT_EQ(reply.chunks()[0].speech, "One moment, please.");
    EXPECT_EQ(reply.result().finish_reason, finish_reason::tool_calls);
}

TEST_F(a_calling_conversation, continues_with_the_result) {
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    talk.answer_call(calls_of(first).calls.at(0).id, "12:00");
    const auto second = run(talk.generate(with_tools()));
    EXPECT_EQ(second.text(), "It is noon.");
    EXPECT_THAT(roles(talk), ElementsAre("user", "assistant", "tool", "assistant"));
    EXPECT_THAT(completions(server()).back().prompt, HasSubstr("12:00"));
}

TEST_F(a_calling_conversation, evaluates_little_for_a_call) {
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    const auto parsed = server().observe().of_path("/v1/chat/completions");
    ASSERT_THAT(parsed, SizeIs(1));
    EXPECT_LE(parsed[0].evaluated, 8);
}

TEST_F(a_calling_conversation, prefills_the_slot_up_to_the_result_while_the_function_runs) {
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    ASSERT_TRUE(loop.run_until([&] { return completions(server()).size() == 2; }));
    const auto prefill = completions(server()).back();
    EXPECT_THAT(prefill.prompt, EndsWith("<|im_start|>tool\n"));
    ASSERT_TRUE(loop.run_until([&] { return state_of(talk).metrics.warmed > 0; }));
    talk.answer_call(calls_of(first).calls.at(0).id, "12:00");
    const auto usage = run(talk.generate(with_tools())).result().usage;
    EXPECT_LE(usage.evaluated, usage.prompt - prefill.prompt_tokens + 1);
}

TEST_F(a_calling_conversation, gives_an_interrupted_call_a_result_that_says_so) {
    start();
    auto talk = ask();
    consumer reply(talk.generate(with_tools()), consumer::do_not_continue);
    const auto id = calls_of(reply).calls.at(0).id;
    loop.run_until([&] { return !reply.chunks().empty(); });
    talk.heard(reply.chunks()[0].id, 3);
    interrupt(talk, reply);
    say(talk, "Stop.");
    const auto history = state_of(talk).history;
    ASSERT_GE(history.size(), 4u);
    EXPECT_EQ(history[1].content, "One");
    EXPECT_THAT(history[1].tool_calls, SizeIs(1));
    EXPECT_EQ(history[2].content, "No result: interrupted.");
    EXPECT_EQ(history[3].content, "Stop.");
}

TEST_F(a_calling_conversation, may_begin_the_next_turn_before_a_result_that_it_reads_later) {
    server_options.replies.insert(
        server_options.replies.begin(),
        {mock::render_prompt({{"tool", "The result comes later."}}), "I am looking."});
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    const auto id = calls_of(first).calls.at(0).id;
    talk.answer_call_later(id);
    EXPECT_EQ(run(talk.generate(with_tools())).text(), "I am looking.");
    talk.answer_call(id, "12:00");
    talk.answer_call(id, "12:00");
    say(talk, "And?");
    const auto history = state_of(talk).history;
    ASSERT_GE(history.size(), 6u);
    EXPECT_EQ(history[4].role, "user");
    EXPECT_EQ(history[4].content, R"(Result of get_time {"zone": "UTC"}: 12:00)");
    EXPECT_EQ(history[5].content, "And?");
    EXPECT_EQ(log.count(log_level::warning, "a result was dropped"), 1u) << "the second one";
}

TEST_F(a_calling_conversation, reads_a_late_result_after_it_was_loaded) {
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    const auto id = calls_of(first).calls.at(0).id;
    talk.answer_call_later(id);
    const auto saved = loop.call<std::string>([&](auto h) { talk.async_save(std::move(h)); });
    error_code ec;
    auto loaded = bots->load(saved.second, ec);
    ASSERT_TRUE(loaded) << ec.message();
    loaded->answer_call(id, "12:00");
    EXPECT_EQ(state_of(*loaded).history.back().content,
              R"(Result of get_time {"zone": "UTC"}: 12:00)");
}

TEST_F(a_calling_conversation, can_be_resumed_after_a_late_result) {
    server_options.replies.insert(
        server_options.replies.begin(),
        {mock::render_prompt({{"tool", "The result comes later."}}), "I am looking. I will see."});
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    const auto id = calls_of(first).calls.at(0).id;
    talk.answer_call_later(id);
    consumer second(talk.generate(with_tools()), consumer::do_not_continue);
    loop.run_until([&] { return !second.chunks().empty(); });
    talk.answer_call(id, "12:00");
    interrupt(talk, second);
    EXPECT_EQ(run(talk.resume()).text(), "I am looking. I will see.");
    EXPECT_EQ(state_of(talk).history.back().content,
              R"(Result of get_time {"zone": "UTC"}: 12:00)");
}

TEST_F(a_calling_conversation, that_is_loaded_while_the_model_writes_the_call_generates_it_again) {
    // The words alone are too few to end a chunk. The call ends the chunk.
    config.client.chunking.first_chunk_min_tokens = 20;
    server_options.tokens_per_second = 50;
    start();
    auto talk = ask();
    std::string saved;
    consumer reply(talk.generate(with_tools()), [&](consumer&, const chunk&) {
        talk.async_save([&](error_code, std::string text) { saved = std::move(text); });
    });
    ASSERT_TRUE(loop.run_until([&] { return !saved.empty(); }));
    reply.interrupt();
    loop.run_to_end(reply);
    error_code ec;
    diagnostics diag;
    auto loaded = bots->load(saved, with_tools(), ec, diag);
    ASSERT_TRUE(loaded) << diag.to_string();
    const auto rest = run(loaded->resume());
    EXPECT_EQ(rest.result().finish_reason, finish_reason::tool_calls);
    EXPECT_THAT(rest.result().calls, SizeIs(1));
}

TEST_F(a_calling_conversation, may_call_after_words_of_the_assistant) {
    start();
    auto talk = ask();
    run(talk.say_text("Let me see."));
    auto reply = run(talk.generate(with_tools()));
    EXPECT_THAT(calls_of(reply).calls, SizeIs(1)) << reply.result().diagnostics.to_string();
}

TEST_F(a_calling_conversation, keeps_messages_that_come_while_a_function_runs_after_its_result) {
    start();
    auto talk = ask();
    auto first = run(talk.generate(with_tools()));
    talk.append({.role = "user", .content = "And hurry."});
    talk.append({.role = "tool", .content = "12:00", .tool_call_id = calls_of(first).calls[0].id});
    run(talk.generate(with_tools()));
    const auto history = state_of(talk).history;
    ASSERT_GE(history.size(), 4u);
    EXPECT_EQ(history[2].content, "12:00");
    EXPECT_EQ(history[3].content, "And hurry.");
}

TEST_F(a_calling_conversation, may_reply_without_a_call) {
    server_options.replies = {{"", "Hello to you. How are you?"}};
    start();
    auto talk = ask("Hello!");
    auto reply = run(talk.generate(with_tools()));
    EXPECT_THAT(calls_of(reply).calls, IsEmpty());
    EXPECT_EQ(reply.text(), "Hello to you. How are you?");
    EXPECT_EQ(reply.result().finish_reason, finish_reason::eos);
}

const std::string half_a_call = "Well.\n<tool_call>\n{\"name\": \"get_time\", \"argum";

TEST_F(a_calling_conversation, lets_the_server_generate_a_call_that_the_model_wrote_wrong) {
    server_options.replies = {{"", half_a_call}};
    start();
    auto talk = ask();
    auto reply = run(talk.generate(with_tools()));
    EXPECT_EQ(reply.text(), "Well.");
    const auto called = calls_of(reply).calls;
    ASSERT_THAT(called, SizeIs(1));
    EXPECT_EQ(called[0].name, "get_time");
    EXPECT_EQ(reply.result().finish_reason, finish_reason::tool_calls);
    const auto asked = server().observe().of_path("/v1/chat/completions");
    ASSERT_THAT(asked, SizeIs(2));
    EXPECT_THAT(asked[1].body, HasSubstr(R"("content":"<tool_call>\n{\"name\": \"")"));
    EXPECT_EQ(asked[0].slot, asked[1].slot);
}

TEST_F(a_calling_conversation, reads_a_call_in_json_that_the_server_does_not_parse) {
    server_options.faults = {
        {.kind = mock::fault_kind::http_error, .path = "/v1/chat/completions"}};
    start();
    auto talk = ask();
    auto reply = run(talk.generate(with_tools()));
    const auto called = calls_of(reply).calls;
    ASSERT_THAT(called, SizeIs(1));
    EXPECT_EQ(called[0].arguments, R"({"zone":"UTC"})");
    EXPECT_EQ(server().observe().of_path("/v1/chat/completions").size(), 1u);
}

TEST_F(a_calling_conversation, fails_with_what_the_model_wrote_if_the_server_makes_no_call_either) {
    server_options.replies = {{"", half_a_call}};
    server_options.faults = {
        {.kind = mock::fault_kind::http_error, .times = 0, .path = "/v1/chat/completions"}};
    start();
    auto talk = ask();
    const auto reply = run(talk.generate(with_tools()));
    expect_error(reply, errc::invalid_tool_call);
    EXPECT_EQ(reply.text(), "Well.");
    EXPECT_THAT(reply.result().unspoken_text, HasSubstr("<tool_call>"));
}

TEST_F(a_calling_conversation, refuses_tools_with_a_template_that_knows_none) {
    server_options.tool_template = false;
    start();
    auto talk = ask();
    const auto reply = run(talk.generate(with_tools()));
    expect_error(reply, errc::not_supported);
    EXPECT_THAT(reply.result().diagnostics.client_message, HasSubstr("chat template"));
    EXPECT_THAT(completions(server()), IsEmpty());
}

TEST_F(a_calling_conversation, calls_functions_in_a_reply_for_a_reader_too) {
    start();
    auto talk = ask();
    auto reply = run(talk.stream(with_tools(), stream_by::token));
    EXPECT_THAT(reply.text(), Not(HasSubstr("<tool_call>")));
    EXPECT_THAT(calls_of(reply).calls, SizeIs(1));
}

TEST_F(a_calling_conversation, must_call_a_function_if_one_is_required) {
    server_options.replies = {{"", R"({"name":"get_time","parameters":{"zone":"UTC"}})"}};
    server_options.tool_template = false;
    start();
    auto talk = ask();
    auto options = with_tools();
    options.tool_choice = "get_time";
    auto reply = run(talk.generate(options));
    EXPECT_EQ(reply.text(), "");
    const auto called = calls_of(reply).calls;
    ASSERT_THAT(called, SizeIs(1));
    EXPECT_EQ(called[0].arguments, R"({"zone":"UTC"})");
    EXPECT_NE(called[0].id, "");
    EXPECT_THAT(completions(server())[0].body, HasSubstr("json_schema"));
}

TEST_F(a_calling_conversation, hides_its_tools_if_the_model_may_not_call) {
    start();
    auto talk = ask();
    auto options = with_tools();
    options.tool_choice = "none";
    run(talk.generate(options));
    for (const auto& r : server().observe().of_path("/apply-template"))
        EXPECT_THAT(r.body, Not(HasSubstr("get_time")));
}

TEST_F(a_calling_conversation, reports_its_calls_before_its_end) {
    server_options.replies[1].reply = server_options.replies[1].reply.substr(20);
    start();
    auto talk = ask();
    std::vector<std::string> events;
    auto reply = talk.generate(with_tools());
    reply.async_tool_calls([&](error_code, const called_functions&) { events.push_back("calls"); });
    reply.async_next_chunk(
        [&](error_code, const std::optional<chunk>& c) { events.push_back(c ? "chunk" : "end"); });
    loop.run_until([&] { return events.size() == 2; });
    EXPECT_THAT(events, ElementsAre("calls", "end"));
}

TEST_F(a_calling_conversation, learns_the_mark_once_for_each_server) {
    start();
    for (int i = 0; i < 3; ++i) {
        auto talk = ask();
        run(talk.generate(with_tools()));
    }
    const auto rendered = server().observe().of_path("/apply-template");
    EXPECT_LE(rendered.size(), 3u + 2u * 3u) << "three probes, and the prompts";
}

TEST_F(a_calling_conversation, calls_in_every_pacing) {
    for (const auto mode : {pacing::strict, pacing::warm, pacing::ahead, pacing::stream}) {
        config.client.pacing.mode = mode;
        config.servers.clear();
        start();
        auto talk = ask();
        auto reply = run(talk.generate(with_tools()));
        EXPECT_THAT(calls_of(reply).calls, SizeIs(1)) << to_string(mode);
        EXPECT_EQ(reply.text(), "One moment, please.") << to_string(mode);
    }
}

}  // namespace
