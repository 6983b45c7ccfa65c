// Words of the user that are prefilled while the user speaks.

#include "service_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

class a_conversation_that_hears : public service_and_mocks {
 protected:
    a_conversation_that_hears() {
        config.conversation.messages = {{.role = "system", .content = "Be very kind to everyone."}};
        answers_with("Do you have a table for four?", "Yes.");
    }

    /// Reports the text to the conversation, and waits until it is prefilled.
    void hear(conversation& talk, const std::string& text, std::optional<std::size_t> stable = {}) {
        const auto before = state_of(talk).metrics.prefilled;
        talk.hearing(text, stable);
        EXPECT_TRUE(loop.run_until([&] { return state_of(talk).metrics.prefilled > before; }))
            << text;
    }
};

TEST_F(a_conversation_that_hears, prefills_whole_words_without_the_end_of_the_message) {
    start();
    auto talk = bots->create();
    hear(talk, "Do you have a ta");
    EXPECT_THAT(completions(server()).back().prompt, EndsWith("user\nDo you have a"));
    hear(talk, "Do you have a table for fou", 23);
    EXPECT_THAT(completions(server()).back().prompt, EndsWith("user\nDo you have a table for"));
}

TEST_F(a_conversation_that_hears, leaves_little_to_evaluate_for_the_reply) {
    start();
    auto talk = bots->create();
    hear(talk, "Do you have a ta");
    hear(talk, "Do you have a table for fou");
    const auto reply = say(talk, "Do you have a table for four?");
    const auto last = completions(server()).back();
    EXPECT_THAT(last.prompt, EndsWith("table for four?<|im_end|>\n<|im_start|>assistant\n"));
    const auto cold = completions(server()).front();
    EXPECT_GT(last.cached, cold.prompt_tokens);
    EXPECT_LT(last.evaluated, cold.evaluated);
    EXPECT_FALSE(reply.error());
    EXPECT_THAT(state_of(talk).history, SizeIs(3)) << "system, user, assistant";
}

TEST_F(a_conversation_that_hears, prefills_the_functions_of_the_next_turn) {
    server_options.tool_template = true;
    start();
    auto talk = bots->create();
    talk.warm({.tools = R"([{"type":"function","function":{"name":"book_table"}}])"});
    loop.run_until([&] { return state_of(talk).metrics.warmed > 0; });
    hear(talk, "Do you have a ta");
    for (const auto& r : completions(server())) EXPECT_THAT(r.prompt, HasSubstr("book_table"));
    EXPECT_THAT(completions(server()).back().prompt, EndsWith("user\nDo you have a"));
}

TEST_F(a_conversation_that_hears, sends_nothing_for_less_than_two_words) {
    start();
    auto talk = bots->create();
    talk.hearing("Do yo");
    hear(talk, "Do you have a");
    EXPECT_THAT(completions(server()), SizeIs(1));
    talk.hearing("Do you have a tab");
    state_of(talk);
    EXPECT_THAT(server().observe().of_path("/apply-template"), SizeIs(1));
}

TEST_F(a_conversation_that_hears, prefills_the_newest_words_once_the_last_prefill_has_ended) {
    server_options.prompt_tokens_per_second = 100;
    start();
    auto talk = bots->create();
    talk.hearing("Do you have");
    loop.run_until([&] { return completions(server()).size() == 1; });
    talk.hearing("Do you have a table");
    talk.hearing("Do you have a table for four");
    EXPECT_TRUE(loop.run_until([&] { return completions(server()).size() == 2; }));
    EXPECT_THAT(completions(server())[0].prompt, EndsWith("Do you"));
    EXPECT_THAT(completions(server())[1].prompt, EndsWith("Do you have a table for"));
    EXPECT_LE(completions(server())[0].ended, completions(server())[1].arrived);
}

TEST_F(a_conversation_that_hears, does_not_cut_the_prefill_of_its_history) {
    server_options.prompt_tokens_per_second = 100;
    start();
    auto talk = bots->create();
    talk.warm();
    loop.run_until([&] { return completions(server()).size() == 1; });
    talk.hearing("Do you have a ta");
    EXPECT_TRUE(loop.run_until([&] { return completions(server()).size() == 2; }));
    EXPECT_THAT(completions(server())[0].prompt, EndsWith("<|im_start|>assistant\n"));
    EXPECT_THAT(completions(server())[1].prompt, EndsWith("Do you have a"));
    EXPECT_LE(completions(server())[0].ended, completions(server())[1].arrived);
    EXPECT_EQ(completions(server())[1].slot, completions(server())[0].slot);
}

TEST_F(a_conversation_that_hears, keeps_its_words_when_its_history_is_prefilled) {
    start();
    auto talk = bots->create();
    hear(talk, "Do you have a ta");
    talk.warm();
    hear(talk, "Do you have a table for fou");
    EXPECT_THAT(completions(server()), SizeIs(2)) << "both of words";
}

TEST_F(a_conversation_that_hears, prefills_nothing_while_it_replies_or_after_its_end) {
    start();
    auto talk = bots->create();
    auto reply = say_until_first_chunk(talk, "Hello!");
    talk.hearing("Do you have a table for four?");
    go_on_to_the_end(reply);
    const auto rendered = server().observe().of_path("/apply-template").size();
    talk.end();
    talk.hearing("Do you have a table for four?");
    auto other = bots->create();
    say(other, "And you?");
    EXPECT_THAT(server().observe().of_path("/apply-template"), SizeIs(rendered + 1));
    for (const auto& r : completions(server())) EXPECT_THAT(r.prompt, Not(EndsWith("table for")));
}

TEST_F(a_conversation_that_hears, waits_for_repeated_words_if_the_server_cannot_take_tokens_back) {
    server_options.memory = mock::memory_kind::recurrent;
    server_options.ctx_checkpoints = 0;
    start();
    auto talk = bots->create();
    hear(talk, "Do you have a cable for");
    hear(talk, "Do you have a table for fou");
    EXPECT_EQ(completions(server()).back().cached, 0) << "the revised word costs the whole prompt";
    const auto requests = completions(server()).size();
    talk.hearing("Do you have a table for four on Fri");
    state_of(talk);
    EXPECT_THAT(completions(server()), SizeIs(requests)) << "\"four on\" was said once";
    hear(talk, "Do you have a table for four on Monday");
    EXPECT_THAT(completions(server()).back().prompt, EndsWith("Do you have a table for four on"));
}

TEST_F(a_conversation_that_hears, ignores_text_that_is_not_utf_8) {
    start();
    auto talk = bots->create();
    talk.hearing("Do you have a t\xff for four");
    state_of(talk);
    EXPECT_THAT(completions(server()), IsEmpty());
}

}  // namespace
