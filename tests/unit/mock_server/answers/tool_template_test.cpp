#include "answers/tool_template.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::ordered_json;

const auto now_tools = ordered_json::parse(R"([{"type":"function","function":{"name":"now"}}])");
const chat_message rain_question{{.role = "user", .content = "Rain?"}};
const std::string rain_tail = "<|im_start|>user\nRain?<|im_end|>\n<|im_start|>assistant\n";

TEST(tool_template, lists_the_tools_in_a_system_message) {
    EXPECT_EQ(render_with_tools({rain_question}, now_tools),
              "<|im_start|>system\nFunctions that you may call:\n"
              "{\"type\": \"function\", \"function\": {\"name\": \"now\", "
              "\"description\": \"\", \"parameters\": {}}}\n"
              "Write a call like this:\n"
              "<tool_call>\n{\"name\": \"function\", \"arguments\": {}}\n</tool_call><|im_end|>\n" +
                  rain_tail);
}

TEST(tool_template, adds_the_list_to_an_existing_system_message) {
    const chat_message system{{.role = "system", .content = "Be brief."}};
    const auto prompt = render_with_tools({system, rain_question}, now_tools);
    EXPECT_TRUE(prompt.starts_with("<|im_start|>system\nBe brief.\n\nFunctions")) << prompt;
    EXPECT_EQ(prompt.find("<|im_start|>system", 1), prompt.npos);
}

TEST(tool_template, is_plain_without_tools_and_calls) {
    EXPECT_EQ(render_with_tools({rain_question}, ordered_json::array()), rain_tail);
}

TEST(tool_template, renders_calls_after_the_text_of_their_message) {
    const chat_message calling{{.role = "assistant", .content = "One moment."},
                               {{.name = "now", .arguments = "{}"},
                                {.name = "rain", .arguments = R"({"in":["Bonn","Köln"],"n":1})"}}};
    const chat_message result{{.role = "tool", .content = "None."}};
    const std::string calls =
        "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n"
        "{\"name\": \"rain\", \"arguments\": {\"in\": [\"Bonn\", \"Köln\"], \"n\": 1}}\n"
        "</tool_call><|im_end|>\n";
    const std::string rest = "<|im_start|>tool\nNone.<|im_end|>\n<|im_start|>assistant\n";
    EXPECT_EQ(render_with_tools({rain_question, calling, result}, {}),
              rain_tail + "One moment.\n" + calls + rest);
    auto silent = calling;
    silent.content.clear();
    EXPECT_EQ(render_with_tools({rain_question, silent, result}, {}), rain_tail + calls + rest);
}

TEST(tool_template, shows_only_what_the_server_passes_to_templates) {
    const auto more = ordered_json::parse(
        R"([{"type":"function","function":{"strict":true,"description":"D","name":"now"}}])");
    EXPECT_NE(render_with_tools({rain_question}, more)
                  .find(R"({"name": "now", "description": "D", "parameters": {}})"),
              std::string::npos);
}

TEST(tool_template, rejects_arguments_that_are_not_json) {
    const chat_message calling{{.role = "assistant"}, {{.name = "now", .arguments = "{"}}};
    EXPECT_THROW(render_with_tools({calling, rain_question}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tandem::mock
