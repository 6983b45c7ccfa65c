#include "answers/chat_completion.hpp"

#include "tandem_mock/server.hpp"
#include "unit/mock_server/raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;

const std::string call_of_now = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";

json body_with(const std::string& text) {
    return {{"messages",
             {{{"role", "user"}, {"content", "What time is it?"}},
              {{"role", "assistant"}, {"content", text}}}},
            {"tools", {{{"type", "function"}, {"function", {{"name", "now"}}}}}},
            {"max_tokens", 0},
            {"logit_bias", {{eos_token, 1000}}},
            {"id_slot", 1}};
}

class chat_completion : public testing::Test {
 protected:
    explicit chat_completion(options o = {.tool_template = true}) : server_(std::move(o)) {}

    test::answer ask(const json& body) {
        return test::post(server_.port(), "/v1/chat/completions", body);
    }
    json choice_for(const json& body) {
        const auto a = ask(body);
        EXPECT_EQ(a.status, 200) << a.body;
        return json::parse(a.body).at("choices").at(0);
    }
    json message_for(const std::string& text) { return choice_for(body_with(text)).at("message"); }

    server server_;
};

TEST_F(chat_completion, has_the_calls_in_the_text) {
    const auto message = message_for("One moment.\n" + call_of_now);
    EXPECT_EQ(message.at("role"), "assistant");
    EXPECT_EQ(message.at("content"), "One moment.\n");
    ASSERT_EQ(message.at("tool_calls").size(), 1u);
    const auto& made = message["tool_calls"][0];
    EXPECT_EQ(made.at("type"), "function");
    EXPECT_EQ(made.at("function"), json({{"name", "now"}, {"arguments", "{}"}}));
    EXPECT_EQ(made.at("id").get<std::string>().size(), 32u);
}

TEST_F(chat_completion, has_content_alone_without_calls) {
    const auto message = message_for("It is noon.");
    EXPECT_EQ(message.at("content"), "It is noon.");
    EXPECT_FALSE(message.contains("tool_calls"));
}

TEST_F(chat_completion, names_the_reason_of_its_end) {
    EXPECT_EQ(choice_for(body_with(call_of_now)).at("finish_reason"), "tool_calls");
    EXPECT_EQ(choice_for(body_with("It is noon.")).at("finish_reason"), "stop");
}

TEST_F(chat_completion, has_one_token_more_that_is_not_decided_by_a_bias) {
    auto body = body_with("It is");
    body["logit_bias"] = {{'!', 1000}};
    const auto choice = choice_for(body);
    EXPECT_EQ(choice.at("message").at("content"), "It is!");
    EXPECT_EQ(choice.at("finish_reason"), "length");
    body.erase("logit_bias");
    EXPECT_NE(choice_for(body).at("message").at("content"), "It is");
}

TEST_F(chat_completion, of_a_text_that_is_not_understood_is_a_server_error) {
    const auto a = ask(body_with(call_of_now + " And more."));
    EXPECT_EQ(a.status, 500);
    const auto message = json::parse(a.body).at("error").at("message").get<std::string>();
    EXPECT_TRUE(message.starts_with("The model produced output that does not match")) << message;
    EXPECT_EQ(ask(body_with(call_of_now)).status, 200) << "the slot is free again";
}

TEST_F(chat_completion, is_a_task_on_its_slot) {
    ask(body_with("It is noon."));
    const auto again = json::parse(ask(body_with("It is noon.")).body);
    EXPECT_EQ(again.at("timings").at("prompt_n"), 1);
    const auto seen = server_.observe().of_path("/v1/chat/completions");
    ASSERT_EQ(seen.size(), 2u);
    EXPECT_EQ(seen[1].slot, 1);
    EXPECT_EQ(seen[1].evaluated, 1);
    EXPECT_EQ(seen[1].generated, 1);
    EXPECT_TRUE(seen[1].prompt.ends_with("<|im_start|>assistant\nIt is noon."));
}

TEST_F(chat_completion, meets_faults_of_its_path_alone) {
    server_.inject(parse_fault("http_error:path=/v1/chat/completions,status=500,text=boom"));
    const auto a = ask(body_with(call_of_now));
    EXPECT_EQ(a.status, 500);
    EXPECT_EQ(json::parse(a.body).at("error").at("message"), "boom");
}

TEST_F(chat_completion, of_another_kind_is_not_supported) {
    auto last = body_with(call_of_now);
    last["messages"].erase(1);
    auto more = body_with(call_of_now);
    more["max_tokens"] = 1;
    auto endless = body_with(call_of_now);
    endless.erase("max_tokens");
    auto streamed = body_with(call_of_now);
    streamed["stream"] = true;
    for (const auto& body :
         {last, more, endless, streamed, json::object(), json({{"messages", 7}})}) {
        const auto a = ask(body);
        EXPECT_EQ(a.status, 501) << body;
        const auto error = json::parse(a.body).at("error");
        EXPECT_EQ(error.at("type"), "not_supported_error");
        EXPECT_NE(error.at("message").get<std::string>().find("\"max_tokens\" 0"),
                  std::string::npos);
    }
}

TEST_F(chat_completion, is_rejected_if_it_is_malformed) {
    EXPECT_EQ(test::post_text(server_.port(), "/v1/chat/completions", "{").status, 400);
    auto slot = body_with(call_of_now);
    slot["messages"][0].erase("content");
    EXPECT_EQ(ask(slot).status, 400);
}

class chat_completion_without_tools : public chat_completion {
 protected:
    chat_completion_without_tools() : chat_completion(options()) {}
};

TEST_F(chat_completion_without_tools, is_not_supported) {
    EXPECT_EQ(ask(body_with(call_of_now)).status, 501);
}

}  // namespace
}  // namespace tandem::mock
