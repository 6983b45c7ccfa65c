#include "contract/contract_fixture.hpp"
#include "wire/calls/server_messages.hpp"

// Messages with calls, rendered by a template that uses only role and content.
namespace tandem::testing {
namespace {

class template_contract : public contract {
 protected:
    // Replaces the talk model's own template: it knows tools, and a server then rejects empty
    // arguments.
    template_contract() { arguments_ = {"--chat-template", "chatml"}; }

    std::unique_ptr<running_answer> render(const std::vector<chat_message>& messages) {
        return probe().post_text("/apply-template", wire::apply_template_body(messages));
    }
};
TANDEM_CONTRACT(template_contract);

const chat_message question{.role = "user", .content = "Will it rain?"};
const chat_message result{
    .role = "tool", .content = "No.", .tool_call_id = "c1", .name = "forecast"};

chat_message calling(std::string content, std::string arguments = R"({"city":"Köln"})") {
    return {.role = "assistant",
            .content = std::move(content),
            .tool_calls = {{.id = "c1", .name = "forecast", .arguments = std::move(arguments)}}};
}

TEST_P(template_contract, a_tool_call_and_its_result_are_messages_of_their_own) {
    EXPECT_EQ(render({question, calling("Let me see."), result})->parsed(),
              json({{"prompt",
                     "<|im_start|>user\nWill it rain?<|im_end|>\n"
                     "<|im_start|>assistant\nLet me see.<|im_end|>\n"
                     "<|im_start|>tool\nNo.<|im_end|>\n"
                     "<|im_start|>assistant\n"}}));
}

TEST_P(template_contract, an_assistants_message_may_be_nothing_but_a_call) {
    EXPECT_EQ(render({question, calling(""), result})->parsed(),
              json({{"prompt",
                     "<|im_start|>user\nWill it rain?<|im_end|>\n"
                     "<|im_start|>assistant\n<|im_end|>\n"
                     "<|im_start|>tool\nNo.<|im_end|>\n"
                     "<|im_start|>assistant\n"}}));
}

TEST_P(template_contract, a_call_needs_neither_id_nor_arguments) {
    auto call = calling("", "");
    call.tool_calls[0].id.clear();
    EXPECT_EQ(render({question, call, {.role = "tool", .content = "No."}})->body(),
              render({question, calling(""), result})->body());
}

TEST_P(template_contract, a_call_cannot_be_the_end) {
    const auto a = render({question, calling("Let me see.")});
    EXPECT_EQ(a->status(), 400);
    EXPECT_EQ(a->parsed().at("error").at("message"),
              "Cannot continue an assistant message that contains tool calls.");
}

TEST_P(template_contract, an_assistants_last_message_is_continued) {
    const std::string before = "<|im_start|>user\nWill it rain?<|im_end|>\n";
    EXPECT_EQ(render({question, {.role = "assistant", .content = "No, "}})->parsed(),
              json({{"prompt", before + "<|im_start|>assistant\nNo, "}}));
    EXPECT_EQ(render({question, {.role = "assistant"}})->parsed(), json({{"prompt", before}}));
}

}  // namespace
}  // namespace tandem::testing
