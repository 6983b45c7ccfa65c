#include "contract/contract_fixture.hpp"
#include "loop/strand_scope.hpp"
#include "server/server_link.hpp"
#include "wire/calls/server_messages.hpp"

#include "tandem/service.hpp"

#include <iostream>

// Tools and their calls, with a chat template that shows them.
namespace tandem::testing {
namespace {

using detail::server_link;
using ::testing::ElementsAre;
using ::testing::SizeIs;
using wire::token_id;

constexpr const char* time_tools =
    R"([{"type":"function","function":{"name":"get_time","description":"Tells the time.",)"
    R"("parameters":{"type":"object","properties":{"zone":{"type":"string"}},)"
    R"("required":["zone"]}}},)"
    R"({"type":"function","function":{"name":"ring","parameters":{"type":"object",)"
    R"("properties":{}}}}])";

const std::string tool_introduction =
    "<|im_start|>system\nFunctions that you may call:\n"
    R"({"type": "function", "function": {"name": "get_time", "description": "Tells the time.", )"
    R"("parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, )"
    R"("required": ["zone"]}}})"
    "\n"
    R"({"type": "function", "function": {"name": "ring", "description": "", )"
    R"("parameters": {"type": "object", "properties": {}}}})"
    "\nWrite a call like this:\n<tool_call>\n{\"name\": \"function\", \"arguments\": {}}\n"
    "</tool_call><|im_end|>\n";
const std::string asked_for_time =
    "<|im_start|>user\nWhat time is it?<|im_end|>\n<|im_start|>assistant\n";

const chat_message time_question{.role = "user", .content = "What time is it?"};
const chat_message time_result{
    .role = "tool", .content = "Noon.", .tool_call_id = "c1", .name = "get_time"};

const std::string call_of_time =
    "<tool_call>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}}\n</tool_call>";
const std::string time_in_utc = R"([get_time {"zone":"UTC"}])";
const std::string call_of_ring =
    "<tool_call>\n{\"name\": \"ring\", \"arguments\": {}}\n</tool_call>";

chat_message calling_for_time(std::string content, std::string arguments = R"({"zone":"UTC"})") {
    return {.role = "assistant",
            .content = std::move(content),
            .tool_calls = {{.id = "c1", .name = "get_time", .arguments = std::move(arguments)}}};
}

struct parsed_answer {
    error_code ec{};
    std::string server_message{};
    wire::parsed_reply reply{};
};

/// The content, followed by each call in brackets. The arguments contain no white space.
std::string words_of(const parsed_answer& a) {
    if (a.ec) return error_name(a.ec) + " " + a.server_message;
    auto words = a.reply.content;
    for (const auto& call : a.reply.calls)
        words += "[" + call.name + " " + json::parse(call.arguments).dump() + "]";
    return words;
}

class tool_contract : public contract {
 protected:
    tool_contract() {
        arguments_ = {"--jinja", "--chat-template-file",
                      TANDEM_SOURCE_DIR "/tests/contract/tool_template.jinja"};
        mock_options_.tool_template = true;
        mock_options_.replies = {{mock::render_prompt({{"tool", "Noon."}}), "It is noon."},
                                 {"", "One moment.\n" + call_of_time}};
    }

    service make_service() {
        service_config c;
        c.servers = {url()};
        c.client = client_config();
        return service(loop().ioc.get_executor(), c, kept_log());
    }
    std::unique_ptr<running_answer> render(const std::vector<chat_message>& messages,
                                           std::string_view with_tools = time_tools) {
        return probe().post_text("/apply-template",
                                 wire::apply_template_body(messages, with_tools));
    }
    std::string prompt_of(const std::vector<chat_message>& messages,
                          std::string_view with_tools = time_tools) {
        return render(messages, with_tools)->parsed().value("prompt", "");
    }
    token_id token_of(const char* text) {
        const json body{{"content", text}};
        return probe().post("/tokenize", body)->parsed().at("tokens").at(0);
    }
    token_id end_token() { return token_of("<|im_end|>"); }
    server::template_marks learn_marks() {
        const auto link = server_link::make(
            std::make_shared<detail::strand_scope>(loop().ioc.get_executor(), kept_log().log),
            client_config(), {}, detail::slot_defaults{});
        std::optional<server::template_marks> found;
        link->load_tool_call_mark(
            [&](error_code ec, const diagnostics& diag, const server::template_marks& m) {
                EXPECT_FALSE(ec) << diag.to_string();
                found = m;
            });
        EXPECT_TRUE(loop().run_until([&] { return found.has_value(); }));
        return found.value_or(server::template_marks());
    }
    std::unique_ptr<running_answer> ask_to_parse(std::string_view text, int slot = 0) {
        return probe().post_text(
            "/v1/chat/completions",
            wire::parse_reply_body(
                {.messages = {time_question}, .text = text, .slot = slot, .end_token = end_token()},
                {.tools = time_tools}));
    }
    parsed_answer parse(std::string_view text) {
        const auto a = ask_to_parse(text);
        parsed_answer read;
        diagnostics diag;
        read.ec = wire::decode_parsed_reply({a->status(), a->body()}, read.reply, diag);
        read.server_message = diag.server_message;
        return read;
    }
    /// The content and calls that the server finds in `text`, in the format of words_of().
    std::string read(std::string_view text) { return words_of(parse(text)); }
};
TANDEM_CONTRACT(tool_contract);

TEST_P(tool_contract, tools_are_a_part_of_the_prompt) {
    EXPECT_EQ(prompt_of({time_question}), tool_introduction + asked_for_time);
    EXPECT_EQ(prompt_of({time_question}, {}), asked_for_time);
}

TEST_P(tool_contract, tools_follow_the_systems_text) {
    auto in_system = tool_introduction;
    in_system.insert(tool_introduction.find("Functions"), "Be brief.\n\n");
    EXPECT_EQ(prompt_of({{.role = "system", .content = "Be brief."}, time_question}),
              in_system + asked_for_time);
}

TEST_P(tool_contract, a_call_and_its_result_are_rendered) {
    EXPECT_EQ(prompt_of({time_question, calling_for_time("One moment."), time_result}),
              tool_introduction + asked_for_time + "One moment.\n" + call_of_time +
                  "<|im_end|>\n<|im_start|>tool\nNoon.<|im_end|>\n<|im_start|>assistant\n");
    EXPECT_EQ(prompt_of({time_question, calling_for_time(""), time_result}),
              tool_introduction + asked_for_time + call_of_time +
                  "<|im_end|>\n<|im_start|>tool\nNoon.<|im_end|>\n<|im_start|>assistant\n");
}

TEST_P(tool_contract, a_call_cannot_be_the_end_of_what_is_rendered) {
    const auto a = render({time_question, calling_for_time("One moment.")});
    EXPECT_EQ(a->status(), 400);
    EXPECT_EQ(a->parsed().at("error").at("message"),
              "Cannot continue an assistant message that contains tool calls.");
}

TEST_P(tool_contract, the_mark_of_calls_is_learned_from_the_template) {
    const auto marks = learn_marks();
    EXPECT_EQ(marks.opening, "<tool_call>");
    EXPECT_THAT(marks.preserved, ElementsAre("<tool_call>", "</tool_call>"));
}

TEST_P(tool_contract, the_end_token_is_learned_with_the_mark) {
    EXPECT_EQ(learn_marks().end_token, end_token());
}

TEST_P(tool_contract, a_call_is_read_in_a_text_with_or_without_words_before_it) {
    EXPECT_EQ(read(call_of_time), time_in_utc);
    EXPECT_EQ(read("One moment.\n" + call_of_time), "One moment.\n" + time_in_utc);
    EXPECT_EQ(read("One moment." + call_of_time), "One moment." + time_in_utc);
}

TEST_P(tool_contract, two_calls_are_read_in_order_and_with_ids_of_their_own) {
    for (const auto* between : {"", "\n", "\n\n"}) {
        const auto a = parse(call_of_time + between + call_of_ring + between);
        EXPECT_EQ(words_of(a), time_in_utc + "[ring {}]");
        ASSERT_THAT(a.reply.calls, SizeIs(2));
        EXPECT_NE(a.reply.calls[0].id, "");
        EXPECT_NE(a.reply.calls[0].id, a.reply.calls[1].id);
    }
}

TEST_P(tool_contract, a_text_without_a_call_is_content) {
    for (const auto* text : {"", "It is noon.", "It is noon. ", "It is noon.\n\n",
                             "Write <tool_calls>.", "<tool_call>nonsense</tool_call>"})
        EXPECT_EQ(read(text), text);
}

TEST_P(tool_contract, white_space_at_the_start_is_dropped) {
    EXPECT_EQ(read(" \n It is noon. "), "It is noon. ");
    EXPECT_EQ(read("\n" + call_of_time), time_in_utc);
    EXPECT_EQ(read("  "), "");
}

// If a call breaks off, the server returns its beginning, or omits the call if its name is
// incomplete.
TEST_P(tool_contract, half_a_call_is_an_error_or_missing) {
    for (const auto* half : {"<tool_call", "<tool_call>", "<tool_call>\n", "<tool_call>\n{",
                             "<tool_call>\n{\"name\": \"get_"})
        EXPECT_EQ(read(std::string("One moment. ") + half), "One moment. ") << half;
    const std::string named = "One moment. <tool_call>\n{\"name\": \"get_time\"";
    for (const auto* rest : {"", ", \"arguments\": {\"zo", ", \"arguments\": {\"zone\": \"UT",
                             ", \"arguments\": {\"zone\": \"UTC\""})
        EXPECT_EQ(parse(named + rest).ec, errc::invalid_tool_call) << rest;
    EXPECT_EQ(parse(call_of_time + "\n<tool_call>\n{\"name\": \"ring\"").ec,
              errc::invalid_tool_call);
}

TEST_P(tool_contract, a_call_with_whole_arguments_needs_no_end) {
    for (const auto* end : {"", "}", "}\n", "}\n</tool_"})
        EXPECT_EQ(read("<tool_call>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": \"UTC\"}" +
                       std::string(end)),
                  time_in_utc)
            << end;
}

TEST_P(tool_contract, a_text_that_the_model_should_not_write_is_a_server_error) {
    const std::string unparsable =
        error_name(errc::server_error) +
        " The model produced output that does not match the expected peg-native format";
    EXPECT_EQ(read(call_of_time + "\nMore words."), unparsable);
    EXPECT_EQ(read("<tool_call>\n{\"name\": \"unknown\", \"arguments\": {}}\n</tool_call>"),
              unparsable);
    EXPECT_EQ(read("<tool_call>\n{\"arguments\": {}, \"name\": \"ring\"}\n</tool_call>"),
              unparsable);
}

// Because of this behavior, the client's request forces the additional token to be the end token.
TEST_P(tool_contract, one_more_token_is_sampled_and_parsed_with_the_text) {
    auto body = json::parse(wire::parse_reply_body({.messages = {time_question}, .text = "It is"},
                                                   {.tools = time_tools}));
    body["temperature"] = 0;
    body["logit_bias"] = json::array({{token_of("!"), 1000}});
    const auto answer = probe().post("/v1/chat/completions", body)->parsed();
    EXPECT_EQ(answer.at("choices").at(0).at("message").at("content"), "It is!");
    EXPECT_EQ(answer.at("choices").at(0).at("finish_reason"), "length");
}

TEST_P(tool_contract, one_token_is_evaluated_on_the_slot_that_holds_the_text) {
    const auto text = "One moment.\n" + call_of_time;
    const auto prompt = prompt_of({time_question, {.role = "assistant", .content = text}});
    probe().post("/completion", {{"prompt", prompt}, {"n_predict", 1}, {"id_slot", 1}});
    const auto answer = ask_to_parse(text, 1)->parsed();
    EXPECT_EQ(answer.at("timings").at("prompt_n"), 1);
    EXPECT_GT(answer.at("timings").at("cache_n"), 100);
}

TEST_P(tool_contract, a_call_continues_under_the_grammar_of_the_tools) {
    const auto ring_only = json::array({json::parse(time_tools).at(1)}).dump();
    const auto answer = probe().post_text(
        "/v1/chat/completions",
        wire::forced_call_body({.messages = {time_question}, .lead = "<tool_call>\n{\"name\": \""},
                               {.tools = ring_only}));
    wire::parsed_reply read;
    diagnostics diag;
    ASSERT_FALSE(wire::decode_parsed_reply({answer->status(), answer->body()}, read, diag))
        << answer->body();
    EXPECT_EQ(read.content, "");
    ASSERT_FALSE(read.calls.empty()) << answer->body();
    EXPECT_EQ(read.calls[0].name, "ring");
}

// The talk model does not know this dialogue, so a grammar makes it call the function.
TEST_P(tool_contract, a_conversation_evaluates_little_more_than_the_result_of_its_call) {
    auto bots = make_service();
    auto talk = bots.create();
    talk.append(time_question);
    consumer calling(talk.generate(
        {.grammar = "root ::= \"One moment.\\n<tool_call>\\n\" \"{\\\"name\\\": \\\"get_time\\\", "
                    "\\\"arguments\\\": {\\\"zone\\\": \\\"UTC\\\"}}\\n</tool_call>\"",
         .tools = time_tools}));
    ASSERT_TRUE(loop().run_to_end(calling));
    ASSERT_EQ(calling.result().finish_reason, finish_reason::tool_calls)
        << calling.result().diagnostics.to_string();
    EXPECT_EQ(calling.text(), "One moment.\n");
    ASSERT_THAT(calling.result().calls, SizeIs(1));
    EXPECT_EQ(calling.result().calls[0].name, "get_time");
    const auto is_prefilled = [&] { return log().count(log_level::debug, "prefilled") > 0; };
    loop().run_until([&] { return is_prefilled() || loop().state_of(talk).metrics.warmed > 0; });
    talk.answer_call(calling.result().calls[0].id, "Noon.");
    consumer answer(talk.generate({.max_tokens = 4, .tools = time_tools}));
    ASSERT_TRUE(loop().run_to_end(answer));
    const json result{{"content", "Noon.<|im_end|>\n<|im_start|>assistant\n"}};
    const auto own = probe().post("/tokenize", result)->parsed().at("tokens").size();
    EXPECT_LE(answer.result().usage.evaluated, static_cast<int>(own) + 8);
    std::cout << "after a result of " << own << " tokens: " << answer.result().usage.evaluated
              << " evaluated\n";
}

// llama-server b11669 aborts if it must generate a call after text that contains an end token.
TEST_P(tool_contract, an_end_token_in_the_words_of_the_model_does_no_harm_to_an_invalid_call) {
    auto bots = make_service();
    auto talk = bots.create();
    talk.append(time_question);
    consumer calling(talk.generate(
        {.grammar = R"(root ::= "Write <|im_end|>.\n<tool_call>\n{\"name\": \"ring\", \"argu")",
         .tools = time_tools}));
    ASSERT_TRUE(loop().run_to_end(calling));
    EXPECT_EQ(calling.result().finish_reason, finish_reason::tool_calls)
        << calling.result().diagnostics.to_string();
    EXPECT_EQ(probe().get("/health")->status(), 200);
}

TEST_P(tool_contract, an_end_token_is_shown_only_if_it_is_preserved) {
    const auto& turn = talk_turns().front();
    auto request = request_for(turn);
    EXPECT_EQ(probe().complete(request)->text(), turn.reply);
    request["preserved_tokens"] = {"<|im_end|>", "<no token of the model>"};
    EXPECT_EQ(probe().complete(request)->text(), turn.reply + "<|im_end|>");
}

}  // namespace
}  // namespace tandem::testing
