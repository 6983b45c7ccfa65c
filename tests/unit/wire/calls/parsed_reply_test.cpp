// A reply's text that the server parses: a POST to /v1/chat/completions that generates nothing.
#include "wire/calls/server_messages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tandem::wire {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class parsed_reply_of_server : public ::testing::Test {
 protected:
    error_code decode(std::string_view body, int http_status = 200) {
        return decode_parsed_reply({http_status, body}, reply_, diag_);
    }
    /// The answer with this message.
    error_code decode_message(const std::string& message) {
        return decode(R"({"choices":[{"message":)" + message + "}]}");
    }

    parsed_reply reply_{.content = "before", .calls = {{.name = "before"}}};
    diagnostics diag_;
};

json request_body(const generation_options& o = {}, std::optional<token_id> end_token = {}) {
    return json::parse(
        parse_reply_body({.messages = {{.role = "user", .content = "Will it \"rain\"?"}},
                          .text = "One moment.\n<tool_call>",
                          .slot = 1,
                          .end_token = end_token},
                         o));
}

TEST(reply_to_parse, continues_a_last_message_of_the_assistant) {
    const chat_message said{.role = "assistant", .content = "Let me see."};
    const auto body =
        json::parse(parse_reply_body({.messages = {said}, .text = " <tool_call>"}, {}));
    EXPECT_EQ(body.at("messages").size(), 1U);
    EXPECT_EQ(body.at("messages").at(0).at("content"), "Let me see. <tool_call>");
}

TEST(reply_to_parse, does_not_reuse_the_cache_of_a_slot_with_foreign_text) {
    EXPECT_EQ(json::parse(parse_reply_body({.reuse_cache = false}, {})).at("cache_prompt"), false);
}

TEST_F(parsed_reply_of_server, is_no_call_if_a_limit_cut_it_off) {
    const auto decode_forced = [&](const std::string& reason) {
        const auto body =
            R"({"choices":[{"finish_reason":")" + reason +
            R"(","message":{"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}}]})";
        return decode_forced_reply({200, body}, reply_, diag_);
    };
    EXPECT_EQ(decode_forced("length"), errc::invalid_tool_call);
    EXPECT_THAT(diag_.client_message, HasSubstr("does not end"));
    EXPECT_EQ(reply_.calls[0].name, "before");
    EXPECT_FALSE(decode_forced("tool_calls"));
    EXPECT_EQ(reply_.calls[0].name, "f");
    EXPECT_EQ(decode_forced_reply({200, "{}"}, reply_, diag_), errc::bad_response);
}

TEST_F(parsed_reply_of_server, has_calls_with_an_object_as_arguments) {
    for (const auto* arguments : {"\"5\"", "\"[]\"", "\"null\"", "\"\\\"UTC\\\"\""})
        EXPECT_EQ(
            decode_message(std::string(R"({"tool_calls":[{"function":{"name":"f","arguments":)") +
                           arguments + "}}]}"),
            errc::invalid_tool_call)
            << arguments;
}

TEST_F(parsed_reply_of_server, is_asked_for_with_the_text_as_last_message) {
    EXPECT_EQ(request_body(), json::parse(R"({"messages":[
        {"role":"user","content":"Will it \"rain\"?"},
        {"role":"assistant","content":"One moment.\n<tool_call>"}],
        "parallel_tool_calls":true,
        "max_tokens":0,"temperature":0,"id_slot":1,"cache_prompt":true})"));
}

TEST_F(parsed_reply_of_server, is_asked_for_with_what_changes_prompt_or_format) {
    generation_options o;
    o.tools = R"([{"type":"function"}])";
    o.template_options = R"({"reasoning_effort":"low"})";
    o.lora = {{.id = 2, .scale = 0.5}};
    const auto body = request_body(o);
    EXPECT_EQ(body.at("tools"), json::parse(R"([{"type":"function"}])"));
    EXPECT_EQ(body.at("reasoning_effort"), "low");
    EXPECT_EQ(body.at("lora"), json::parse(R"([{"id":2,"scale":0.5}])"));
    EXPECT_EQ(body.at("max_tokens"), 0);
}

TEST_F(parsed_reply_of_server, is_asked_for_without_further_text) {
    const auto body = request_body({}, 767);
    EXPECT_EQ(body.at("logit_bias"), json::parse("[[767,1000]]"));
    EXPECT_EQ(body.at("temperature"), 0);
}

TEST(forced_call, continues_from_its_beginning_under_the_grammar_of_the_tools) {
    const auto body = json::parse(forced_call_body(
        {.messages = {{.role = "user", .content = "Rain?"}},
         .lead = "<call>",
         .slot = 3,
         .reuse_cache = false},
        {.tools = R"([{"function":{"name":"rain"}}])", .parallel_tool_calls = false}));
    EXPECT_EQ(body.at("messages").at(1).at("content"), "<call>");
    EXPECT_EQ(body.at("tool_choice"), "required");
    EXPECT_EQ(body.at("parallel_tool_calls"), false);
    EXPECT_EQ(body.at("id_slot"), 3);
    EXPECT_EQ(body.at("cache_prompt"), false);
    EXPECT_EQ(body.at("max_tokens"), max_forced_tokens);
}

// The server aborts at an end token in the last message, so this message must not contain what the
// model wrote.
TEST(forced_call, does_not_go_on_from_words_of_the_model) {
    const auto body = json::parse(
        forced_call_body({.messages = {{.role = "user", .content = "Rain?"},
                                       {.role = "assistant", .content = "Write <|im_end|>."}},
                          .lead = "<call>"},
                         {}));
    EXPECT_EQ(body.at("messages").size(), 2u);
    EXPECT_EQ(body.at("messages").at(1).at("content"), "<call>");
}

TEST_F(parsed_reply_of_server, is_content_and_calls) {
    ASSERT_FALSE(decode_message(R"({"role":"assistant","content":"One moment.","tool_calls":[
        {"type":"function","id":"x1","function":{"name":"rain","arguments":"{\"in\":\"Bonn\"}"}},
        {"type":"function","function":{"name":"now","arguments":"{}"}}]})"));
    EXPECT_EQ(reply_.content, "One moment.");
    EXPECT_THAT(reply_.calls,
                ElementsAre(tool_call{.id = "x1", .name = "rain", .arguments = R"({"in":"Bonn"})"},
                            tool_call{.name = "now", .arguments = "{}"}));
}

TEST_F(parsed_reply_of_server, may_have_no_content_or_no_calls) {
    ASSERT_FALSE(decode_message(
        R"({"content":null,"tool_calls":[{"function":{"name":"now","arguments":"{}"}}]})"));
    EXPECT_EQ(reply_.content, "");
    EXPECT_EQ(reply_.calls.size(), 1u);
    for (const auto* message : {R"({"content":"No."})", R"({"content":"No.","tool_calls":null})",
                                R"({"content":"No.","tool_calls":[]})"}) {
        ASSERT_FALSE(decode_message(message)) << message;
        EXPECT_EQ(reply_.content, "No.");
        EXPECT_THAT(reply_.calls, IsEmpty());
    }
}

TEST_F(parsed_reply_of_server, is_no_answer_of_another_shape) {
    for (const auto* body : {"", "[]", "null", "7", "{}", R"({"choices":null})",
                             R"({"choices":[]})", R"({"choices":{}})", R"({"choices":"message"})"})
        EXPECT_EQ(decode(body), errc::bad_response) << body;
    EXPECT_EQ(reply_.content, "before") << "it is left alone";
    EXPECT_THAT(diag_.client_message, HasSubstr("/v1/chat/completions"));
}

TEST_F(parsed_reply_of_server, has_no_call_without_a_name) {
    for (const auto* calls :
         {"[{}]", "[7]", "\"rain\"", R"([{"function":{}}])", R"([{"function":"rain"}])",
          R"([{"function":{"name":""}}])", R"([{"function":{"name":7}}])", R"([["name","rain"]])",
          R"([{"function":{"name":"now","arguments":"{}"}},{"name":"rain"}])"}) {
        EXPECT_EQ(decode_message(std::string(R"({"content":"","tool_calls":)") + calls + "}"),
                  errc::bad_response)
            << calls;
        EXPECT_THAT(diag_.client_message, HasSubstr("a call has no name"));
    }
    EXPECT_EQ(reply_.calls.at(0).name, "before") << "it is left alone";
}

// If such a message counted as one without calls, the text of a call would be spoken.
TEST_F(parsed_reply_of_server, is_no_message_of_another_shape) {
    for (const auto* message : {"null", "[]", "7", "\"No.\""})
        EXPECT_EQ(decode_message(message), errc::bad_response) << message;
    EXPECT_EQ(reply_.content, "before") << "it is left alone";
    EXPECT_FALSE(decode_message(R"({"content":7})"));
    EXPECT_EQ(reply_.content, "");
}

TEST_F(parsed_reply_of_server, is_read_from_an_answer_that_is_nested_deep) {
    const auto deep = std::string(100'000, '[') + std::string(100'000, ']');
    ASSERT_FALSE(decode(R"({"x":)" + deep + R"(,"choices":[{"message":{"content":"No."}}]})"));
    EXPECT_EQ(reply_.content, "No.");
    EXPECT_EQ(decode(R"({"choices":)" + deep + "}"), errc::bad_response);
}

TEST_F(parsed_reply_of_server, has_no_call_whose_arguments_are_incomplete) {
    for (const auto* arguments : {"", "{", "{\"in\": \"Bo", "{\"in\": \"Bonn\"", "Bonn"}) {
        const json call{{"function", {{"name", "rain"}, {"arguments", arguments}}}};
        EXPECT_EQ(decode_message(json{{"tool_calls", json::array({call})}}.dump()),
                  errc::invalid_tool_call)
            << arguments;
    }
    EXPECT_EQ(decode_message(R"({"tool_calls":[{"function":{"name":"rain"}}]})"),
              errc::invalid_tool_call);
    EXPECT_EQ(reply_.calls.at(0).name, "before") << "it is left alone";
}

TEST_F(parsed_reply_of_server, has_arguments_of_any_size_but_of_a_bounded_depth) {
    const auto with = [&](const std::string& value) {
        const json call{{"function", {{"name", "rain"}, {"arguments", "{\"in\":" + value + "}"}}}};
        return decode_message(json{{"tool_calls", json::array({call})}}.dump());
    };
    EXPECT_FALSE(with('"' + std::string(1'000'000, 'x') + '"'));
    EXPECT_EQ(reply_.calls.at(0).arguments.size(), 1'000'009U);
    EXPECT_EQ(with(std::string(1'000, '[') + std::string(1'000, ']')), errc::invalid_tool_call);
}

TEST_F(parsed_reply_of_server, is_an_error_of_the_server) {
    const auto* body = R"({"error":{"code":500,"message":"Failed to parse input at pos 9"}})";
    EXPECT_EQ(decode(body, 500), errc::server_error);
    EXPECT_EQ(diag_.server_message, "Failed to parse input at pos 9");
    EXPECT_EQ(decode(R"({"error":{"code":501,"message":"no"}})", 501), errc::not_supported);
}

}  // namespace
}  // namespace tandem::wire
