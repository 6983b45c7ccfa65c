#include "answers/chat_messages.hpp"

#include "tandem_mock/server.hpp"
#include "unit/mock_server/raw_client.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;

const json user{{"role", "user"}, {"content", "Rain?"}};
const json call{
    {"id", "c1"}, {"type", "function"}, {"function", {{"name", "rain"}, {"arguments", "{}"}}}};
const json calling{{"role", "assistant"}, {"tool_calls", json::array({call})}};
const json result{{"role", "tool"}, {"tool_call_id", "c1"}, {"name", "rain"}, {"content", "None."}};

auto parsed(const json& messages) {
    return parse_messages(json{{"messages", messages}}.dump());
}

// The role and content of each message, or the message of the error.
std::string read(const json& messages) {
    const auto outcome = parsed(messages);
    if (const auto* error = std::get_if<api_error>(&outcome))
        return std::to_string(error->status) + " " + error->message;
    std::string text;
    for (const auto& m : std::get<0>(outcome)) text += m.role + ":" + m.content + ";";
    return text;
}

json without(json object, const char* field) {
    object.erase(field);
    return object;
}

TEST(chat_messages, are_read_with_tool_calls_and_results) {
    EXPECT_EQ(read({user, calling, result}), "user:Rain?;assistant:;tool:None.;");
    auto both = calling;
    both["content"] = "Let me see.";
    EXPECT_EQ(read({user, both, result}), "user:Rain?;assistant:Let me see.;tool:None.;");
    EXPECT_EQ(read(json::array()), "");
}

TEST(chat_messages, may_have_null_for_content_and_calls) {
    auto empty = user;
    empty["content"] = nullptr;
    EXPECT_EQ(read(json::array({empty})), "user:;");
    EXPECT_EQ(read({{{"role", "assistant"}, {"tool_calls", nullptr}}, user}),
              "assistant:;user:Rain?;");
}

TEST(chat_messages, need_content_but_for_tool_calls) {
    EXPECT_EQ(read(json::array({without(user, "content")})),
              "400 All non-assistant messages must contain 'content'");
    EXPECT_EQ(read(json::array({without(result, "content")})),
              "400 All non-assistant messages must contain 'content'");
    EXPECT_EQ(read(json::array({{{"role", "assistant"}}})),
              "400 Assistant message must contain either 'content' or 'tool_calls'!");
    auto number = user;
    number["content"] = 5;
    EXPECT_EQ(read(json::array({number})), "400 Expected 'content' to be a string or an array");
}

TEST(chat_messages, cannot_end_with_what_cannot_be_continued) {
    const json said{{"role", "assistant"}, {"content", "No."}};
    EXPECT_EQ(read({user, calling}),
              "400 Cannot continue an assistant message that contains tool calls.");
    EXPECT_EQ(read({user, said, said}),
              "400 Cannot have 2 or more assistant messages at the end of the list.");
    EXPECT_EQ(read({user, said}), "user:Rain?;assistant:No.;");
}

TEST(chat_messages, are_a_server_error_if_a_call_is_malformed) {
    auto unnamed = call;
    unnamed["function"].erase("name");
    auto without_arguments = call;
    without_arguments["function"].erase("arguments");
    auto other = call;
    other["type"] = "other";
    const struct {
        json call;
        std::string says;
    } table[] = {{without(call, "type"), "Missing tool call type"},
                 {other, "Unsupported tool call type"},
                 {without(call, "function"), "Missing tool call function"},
                 {unnamed, "Missing tool call name"},
                 {without_arguments, "key 'arguments' not found"}};
    for (const auto& row : table) {
        const auto said =
            read({user, {{"role", "assistant"}, {"tool_calls", json::array({row.call})}}, result});
        EXPECT_EQ(said.rfind("500 Failed to parse messages: ", 0), 0u) << said;
        EXPECT_NE(said.find(row.says), said.npos) << said;
    }
    EXPECT_EQ(read({user,
                    {{"role", "assistant"}, {"tool_calls", json::array({without(call, "id")})}},
                    result}),
              "user:Rain?;assistant:;tool:None.;");
}

TEST(chat_messages, must_be_a_list) {
    EXPECT_EQ(std::get<api_error>(parse_messages("{}")).message, "'messages' is required");
    EXPECT_EQ(std::get<api_error>(parse_messages("[]")).message, "'messages' is required");
    EXPECT_EQ(std::get<api_error>(parse_messages("{")).status, 400);
    EXPECT_EQ(read(5), "400 Expected 'messages' to be an array");
}

TEST(chat_messages, are_not_rendered_by_a_server_without_template) {
    options o;
    o.has_chat_template = false;
    server s(o);
    const auto a = test::post(s.port(), "/apply-template", {{"messages", json::array({user})}});
    EXPECT_EQ(a.status, 501);
    EXPECT_EQ(json::parse(a.body).at("error").at("type"), "not_supported_error");
    EXPECT_EQ(json::parse(test::get(s.port(), "/props").body).at("chat_template"), "");
}

TEST(chat_messages, meet_faults_of_their_path_alone) {
    server s({});
    s.inject(parse_fault("http_error:path=/apply-template"));
    s.inject(parse_fault("http_error:path=/apply-template,status=400,text=no"));
    const auto render = [&] {
        return test::post(s.port(), "/apply-template", {{"messages", json::array({user})}});
    };
    EXPECT_EQ(test::post(s.port(), "/completion", {{"prompt", "a"}, {"n_predict", 1}}).status, 200);
    const auto first = render();
    EXPECT_EQ(first.status, 500);
    EXPECT_EQ(json::parse(first.body).at("error").at("type"), "server_error");
    const auto second = render();
    EXPECT_EQ(second.status, 400);
    EXPECT_EQ(json::parse(second.body).at("error").at("message"), "no");
    EXPECT_EQ(render().status, 200);
}

}  // namespace
}  // namespace tandem::mock
