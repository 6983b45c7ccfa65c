#include "gateway/requests/response_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <string>

namespace {

using nlohmann::json;
using tandem::chat_message;
using tandem::gateway::api_error;
using tandem::gateway::read_response_request;
using tandem::gateway::response_request;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

response_request read(const std::string& body) {
    auto r = read_response_request(body, {});
    if (const auto* e = std::get_if<api_error>(&r)) ADD_FAILURE() << e->message << " of " << body;
    return std::get<response_request>(std::move(r));
}

TEST(response_request_body, may_have_a_text_as_its_input) {
    const auto r = read(R"({"input":"Hello!","instructions":"Be brief.","max_output_tokens":9,
        "temperature":0.5,"stream":true,"previous_response_id":"resp_1","store":false})");
    EXPECT_THAT(r.messages, ElementsAre(chat_message{.role = "system", .content = "Be brief."},
                                        chat_message{.role = "user", .content = "Hello!"}));
    EXPECT_TRUE(r.has_instructions);
    EXPECT_EQ(r.options.max_tokens, 9);
    EXPECT_EQ(r.options.temperature, 0.5);
    EXPECT_TRUE(r.stream);
    EXPECT_EQ(r.previous, "resp_1");
    EXPECT_FALSE(r.store);
}

TEST(response_request_body, may_have_items_as_its_input) {
    const auto r = read(R"({"input":[
        {"role":"user","content":[{"type":"input_text","text":"Weather?"}]},
        {"type":"reasoning","id":"rs_1","summary":[]},
        {"type":"message","role":"assistant","content":[{"type":"output_text","text":"Wait."}]},
        {"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},
        {"type":"function_call","call_id":"c2","name":"time","arguments":"{}"},
        {"type":"function_call_output","call_id":"c1","output":"Sunny."},
        {"type":"function_call_output","call_id":"c2","output":"Noon."}]})");
    ASSERT_EQ(r.messages.size(), 4u);
    EXPECT_EQ(r.messages[1].content, "Wait.");
    ASSERT_EQ(r.messages[1].tool_calls.size(), 2u);
    EXPECT_EQ(r.messages[1].tool_calls[1].name, "time");
    EXPECT_EQ(r.messages[2],
              (chat_message{.role = "tool", .content = "Sunny.", .tool_call_id = "c1"}));
    EXPECT_FALSE(r.has_instructions);
}

TEST(response_request_body, has_functions_a_form_and_reasoning_in_its_own_way) {
    const auto r = read(R"({"input":"Hi","reasoning":{"effort":"low","summary":"auto"},
        "tools":[{"type":"function","name":"f","parameters":{"type":"object"},"strict":true}],
        "tool_choice":{"type":"function","name":"f"}})");
    EXPECT_EQ(
        json::parse(r.options.tools),
        json::parse(
            R"([{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}])"));
    EXPECT_EQ(r.options.tool_choice, "f");
    EXPECT_EQ(r.options.template_options, R"({"reasoning_effort":"low"})");
    const auto form = read(R"({"input":"Hi","text":{"format":
        {"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}}})");
    EXPECT_EQ(form.options.json_schema, R"({"type":"object"})");
    EXPECT_THAT(read(R"({"input":"Hi","text":{"format":{"type":"text"}}})").options.json_schema,
                IsEmpty());
}

TEST(response_request_body, has_the_chunk_settings_of_a_chat_request) {
    const auto r = read(R"({"input":"Hi","stream_by":"chunk","language":"de",
        "first_chunk_min_tokens":1,"first_chunk_max_tokens":2,"chunk_max_tokens":3,
        "chunk_min_chars":4,"peek_hold_ms":5,"chunk_deadline_ms":6})");
    const auto& d = r.options.delivery;
    EXPECT_EQ(d.language, "de");
    EXPECT_EQ(d.first_chunk_min_tokens, 1);
    EXPECT_EQ(d.first_chunk_max_tokens, 2);
    EXPECT_EQ(d.chunk_max_tokens, 3);
    EXPECT_EQ(d.chunk_min_chars, 4);
    EXPECT_EQ(d.peek_hold, std::chrono::milliseconds(5));
    EXPECT_EQ(d.chunk_deadline, std::chrono::milliseconds(6));
}

TEST(response_request_body, has_the_sampling_fields_of_a_chat_request) {
    const auto r = read(R"({"input":"Hi","repeat_last_n":9,"ignore_eos":true,"mirostat":1,
        "logit_bias":{"7":-1},"dry_base":2})");
    EXPECT_EQ(r.options.repeat_last_n, 9);
    EXPECT_EQ(
        json::parse(r.options.sampling),
        json::parse(R"({"ignore_eos":true,"mirostat":1,"logit_bias":{"7":-1},"dry_base":2})"));
}

TEST(response_request_body, is_repeated_in_the_response) {
    const auto r = read(R"({"input":"Hi","metadata":{"a":"1"},"instructions":"Be brief.",
        "reasoning":{"effort":"low"},"truncation":"disabled"})");
    EXPECT_EQ(json::parse(r.repeated),
              json::parse(R"({"instructions":"Be brief.","metadata":{"a":"1"},"tools":[],
                  "tool_choice":"auto","parallel_tool_calls":true,"store":true,
                  "reasoning":{"effort":"low"},"truncation":"disabled",
                  "previous_response_id":null})"));
    EXPECT_FALSE(r.trim);
    EXPECT_TRUE(read(R"({"input":"Hi"})").trim);
}

std::string metadata_fault(const json& metadata) {
    const auto r = read_response_request(json{{"input", "Hi"}, {"metadata", metadata}}.dump(), {});
    const auto* e = std::get_if<api_error>(&r);
    return e ? e->message : "";
}

TEST(response_request_body, has_metadata_of_bounded_size) {
    const auto repeated = [](int n) {
        std::string text;
        for (int i = 0; i < n; ++i) text += "ä";
        return text;
    };
    json pairs = json::object();
    for (int i = 0; i < 15; ++i) pairs["key" + std::to_string(i)] = "x";
    pairs[repeated(64)] = repeated(512);
    EXPECT_EQ(metadata_fault(pairs), "");
    pairs["one"] = "more";
    EXPECT_EQ(metadata_fault(pairs), "metadata has 17 pairs; the maximum is 16");
    EXPECT_THAT(metadata_fault({{repeated(65), "x"}}), HasSubstr("has a key of 65 characters"));
    EXPECT_EQ(metadata_fault({{"a", repeated(513)}}),
              "metadata.a has 513 characters; the maximum is 512");
}

TEST(response_request_body, is_refused_with_the_path_of_the_field) {
    struct row {
        const char* body;
        const char* param;
    };
    const row rows[] = {
        {R"({})", "input"},
        {R"({"input":7})", "input"},
        {R"({"input":[]})", "input"},
        {R"({"input":[7]})", "input[0]"},
        {R"({"input":[{"type":"web_search_call"}]})", "input[0].type"},
        {R"({"input":[{"type":"reasoning"},{"role":"wizard","content":"Hi"}]})", "input[1].role"},
        {R"({"input":[{"role":"user","content":[{"type":"input_image"}]}],"instructions":"Hi"})",
         "input[0].content[0].type"},
        {R"({"input":[{"role":7},{"type":"function_call","call_id":"c","name":"f"}]})",
         "input[0].role"},
        {R"({"input":[{"type":"function_call","name":"f"}]})", "input[0].call_id"},
        {R"({"input":[{"type":"function_call_output","call_id":"c"}]})", "input[0].output"},
        {R"({"input":[{"type":"function_call_output","call_id":"c","output":[{"type":"input_image"}]}]})",
         "input[0].output[0].type"},
        {R"({"input":"Hi","instructions":[]})", "instructions"},
        {R"({"input":"Hi","generate":0})", "generate"},
        {R"({"input":"Hi","background":true})", "background"},
        {R"({"input":"Hi","conversation":"conv_1"})", "conversation"},
        {R"({"input":"Hi","tools":[{"type":"web_search"}]})", "tools[0].type"},
        {R"({"input":"Hi","tools":[{"type":"function"}]})", "tools[0].name"},
        {R"({"input":"Hi","tool_choice":{"type":"function","name":"f"}})", "tool_choice"},
        {R"({"input":"Hi","text":{"verbosity":"low"}})", "text.verbosity"},
        {R"({"input":"Hi","text":{"format":{"type":"grammar"}}})", "text.format.type"},
        {R"({"input":"Hi","max_output_tokens":0})", "max_output_tokens"},
        {R"({"input":"Hi","reasoning":"low"})", "reasoning"},
        {R"({"input":"Hi","truncation":"never"})", "truncation"},
        {R"({"input":"Hi","metadata":"a"})", "metadata"},
        {R"({"input":"Hi","metadata":{"a":1}})", "metadata.a"},
        {R"({"input":"Hi","metadata":{"a":null}})", "metadata.a"},
        {R"({"input":"Hi","include":["message.output_text.logprobs"]})", "include"},
        {R"({"input":"Hi","temperature":"hot"})", "temperature"},
    };
    for (const auto& [body, param] : rows) {
        const auto r = read_response_request(body, {});
        const auto* e = std::get_if<api_error>(&r);
        ASSERT_TRUE(e) << body;
        EXPECT_EQ(e->param, param) << body;
        EXPECT_THAT(e->message, HasSubstr(param)) << body;
        EXPECT_EQ(e->status, 400) << body;
    }
}

}  // namespace
