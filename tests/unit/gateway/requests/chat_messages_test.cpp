#include "read_requests.hpp"

#include <gmock/gmock.h>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<chat_message> messages(const std::string& list) {
    return chat(R"({"messages":)" + list + "}").messages;
}

api_error messages_refusal(const std::string& list) {
    return refusal(R"({"messages":)" + list + "}");
}

TEST(chat_messages, have_the_roles_that_templates_know) {
    const struct {
        const char *role, *read;
    } rows[] = {{"system", "system"}, {"developer", "system"}, {"user", "user"},
                {"tool", "tool"},     {"function", "tool"},    {"assistant", "assistant"}};
    for (const auto& row : rows)
        EXPECT_EQ(
            messages(std::string(R"([{"role":")") + row.role + R"(","content":"x"}])")[0].role,
            row.read);
}

TEST(chat_messages, have_a_text_or_parts_which_are_joined_with_line_ends) {
    EXPECT_EQ(messages(R"([{"role":"user","content":""}])")[0].content, "");
    EXPECT_EQ(messages(R"([{"role":"user","content":[]}])")[0].content, "");
    EXPECT_EQ(messages(R"([{"role":"user","content":[{"type":"text","text":"a"},
                           {"type":"input_text","text":"b"}]}])")[0]
                  .content,
              "a\nb");
    EXPECT_EQ(
        messages(R"([{"role":"assistant","content":[{"type":"refusal","refusal":"No."}]}])")[0]
            .content,
        "No.");
}

TEST(chat_messages, of_the_assistant_may_have_no_words) {
    EXPECT_EQ(messages(R"([{"role":"assistant","content":null}])")[0].content, "");
    EXPECT_EQ(messages(R"([{"role":"assistant"}])")[0].content, "");
    EXPECT_EQ(messages(R"([{"role":"assistant","content":null,"refusal":"No."}])")[0].content,
              "No.");
}

TEST(chat_messages, carry_calls_and_their_results) {
    EXPECT_THAT(
        messages(R"([
            {"role":"assistant","content":null,"tool_calls":[
                {"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}},
                {"id":"c2","function":{"name":"g","arguments":{"b":[2]}}},
                {"function":{"name":"h","arguments":null}}]},
            {"role":"tool","tool_call_id":"c1","name":"f","content":"one"}])"),
        ElementsAre(
            chat_message{.role = "assistant",
                         .tool_calls = {{"c1", "f", R"({"a": 1})"},
                                        {"c2", "g", R"({"b":[2]})"},
                                        {"", "h", "{}"}}},
            chat_message{.role = "tool", .content = "one", .tool_call_id = "c1", .name = "f"}));
}

TEST(chat_messages, carry_calls_of_the_old_form) {
    EXPECT_THAT(messages(R"([
            {"role":"assistant","function_call":{"name":"f","arguments":"{}"}},
            {"role":"function","name":"f","content":"one"}])"),
                ElementsAre(chat_message{.role = "assistant", .tool_calls = {{"", "f", "{}"}}},
                            chat_message{.role = "tool", .content = "one", .name = "f"}));
}

TEST(chat_messages, may_end_with_the_assistants_which_is_continued) {
    EXPECT_EQ(messages(R"([{"role":"user","content":"Hi"},
                           {"role":"assistant","content":"Sure, "}])")
                  .back()
                  .content,
              "Sure, ");
}

TEST(chat_messages, do_not_end_with_calls_that_have_no_results) {
    const auto e = messages_refusal(R"([{"role":"user","content":"Hi"},
        {"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}])");
    EXPECT_EQ(e.param, "messages[1]");
    EXPECT_THAT(e.message, HasSubstr("add a message of role tool"));
}

TEST(chat_messages, are_refused_with_the_path_of_what_is_wrong) {
    const struct {
        const char *list, *param;
    } rows[] = {
        {"{}", "messages"},
        {"[]", "messages"},
        {"\"Hi\"", "messages"},
        {"[1]", "messages[0]"},
        {R"([{"content":"x"}])", "messages[0].role"},
        {R"([{"role":"wizard","content":"x"}])", "messages[0].role"},
        {R"([{"role":5,"content":"x"}])", "messages[0].role"},
        {R"([{"role":"user"}])", "messages[0].content"},
        {R"([{"role":"user","content":null}])", "messages[0].content"},
        {R"([{"role":"tool","content":null}])", "messages[0].content"},
        {R"([{"role":"user","content":5}])", "messages[0].content"},
        {R"([{"role":"user","content":{}}])", "messages[0].content"},
        {R"([{"role":"user","content":["x"]}])", "messages[0].content[0]"},
        {R"([{"role":"user","content":[{}]}])", "messages[0].content[0].type"},
        {R"([{"role":"user","content":[{"type":"text"}]}])", "messages[0].content[0].text"},
        {R"([{"role":"user","content":[{"type":"text","text":5}]}])",
         "messages[0].content[0].text"},
        {R"([{"role":"user","content":"x"},{"role":"user","content":[{"type":"text","text":"x"},
            {"type":"image_url","image_url":{"url":"data:"}}]}])",
         "messages[1].content[1].type"},
        {R"([{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}])",
         "messages[0].content[0].type"},
        {R"([{"role":"assistant","tool_calls":{}}])", "messages[0].tool_calls"},
        {R"([{"role":"assistant","tool_calls":[5]}])", "messages[0].tool_calls[0]"},
        {R"([{"role":"assistant","tool_calls":[{"type":"custom"}]}])",
         "messages[0].tool_calls[0].type"},
        {R"([{"role":"assistant","tool_calls":[{"id":5}]}])", "messages[0].tool_calls[0].id"},
        {R"([{"role":"assistant","tool_calls":[{}]}])", "messages[0].tool_calls[0].function"},
        {R"([{"role":"assistant","tool_calls":[{"function":{}}]}])",
         "messages[0].tool_calls[0].function.name"},
        {R"([{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":5}}]}])",
         "messages[0].tool_calls[0].function.arguments"},
        {R"([{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{a"}}]}])",
         "messages[0].tool_calls[0].function.arguments"},
        {R"([{"role":"tool","content":"x","tool_call_id":5}])", "messages[0].tool_call_id"},
        {R"([{"role":"user","content":"x","name":5}])", "messages[0].name"},
    };
    for (const auto& row : rows) {
        const auto e = messages_refusal(row.list);
        EXPECT_EQ(e.status, 400) << row.list;
        EXPECT_EQ(e.param, row.param) << row.list;
    }
}

TEST(chat_messages, are_refused_in_words_that_report_what_can_be_read) {
    EXPECT_EQ(messages_refusal(R"([{"role":"wizard","content":"x"}])").message,
              "messages[0].role is \"wizard\"; it must be system, developer, user, assistant, tool "
              "or function");
    EXPECT_EQ(messages_refusal(R"([{"role":"user","content":[{"type":"image_url"}]}])").message,
              "messages[0].content[0].type is \"image_url\"; only text is supported");
}

TEST(chat_messages, are_refused_in_few_words_however_many_the_client_wrote) {
    const std::string role(1'000'000, 'w');
    EXPECT_LT(messages_refusal(R"([{"role":")" + role + R"(","content":"x"}])").message.size(),
              200u);
}

TEST(chat_messages, have_a_bound_of_their_number) {
    const std::string two = R"({"messages":[{"role":"user","content":"a"},)"
                            R"({"role":"user","content":"b"}]})";
    EXPECT_EQ(chat(two, {.max_messages = 2}).messages.size(), 2u);
    EXPECT_EQ(refusal(two, {.max_messages = 1}).param, "messages");
}

}  // namespace
}  // namespace tandem::gateway
