// Which texts of a request the model reads.

#include "gateway/policy/prompt_texts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;

TEST(prompt_texts, are_all_that_a_client_can_put_before_the_model) {
    const std::vector<chat_message> messages{
        {.role = "user", .content = "Hello"},
        {.role = "assistant", .tool_calls = {{"id-1", "weather", R"({"town":"Ulm"})"}}},
        {.role = "tool", .content = "Rain", .tool_call_id = "id-1", .name = "weather"}};
    generation_options options;
    options.tools = "[tools]";
    options.json_schema = "{schema}";
    options.grammar = "root ::= \"a\"";
    EXPECT_THAT(collect_texts(messages, "raw", options),
                ElementsAre("raw", "Hello", "id-1", "weather", R"({"town":"Ulm"})", "Rain",
                            "weather", "id-1", "[tools]", "{schema}", "root ::= \"a\""));
}

TEST(prompt_texts, are_joined_as_lines_until_there_are_enough_bytes) {
    const std::vector<std::string_view> texts{"one", "two", "three"};
    EXPECT_EQ(join_texts(texts, 100), "one\ntwo\nthree");
    EXPECT_EQ(join_texts(texts, 3), "one\ntwo");
    EXPECT_EQ(join_texts(texts, 1), "on");
}

}  // namespace
}  // namespace tandem::gateway
