// Conversations that do not fit into their server's context.

#include "service_fixture.hpp"

#include <regex>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class a_full_context : public service_and_mocks {};

TEST_F(a_full_context, drops_the_oldest_exchanges) {
    server_options.parallel = 1;
    server_options.ctx_size = 200;
    config.conversation.messages = {{.role = "system", .content = "Be kind."}};
    config.conversation.reply_reserve = 40;
    start();
    auto talk = bots->create();
    for (int turn = 0; turn < 8; ++turn) {
        const auto reply = say(talk, turn % 2 ? "And you?" : "Hello!");
        ASSERT_FALSE(reply.error()) << turn << ": " << reply.result().diagnostics.to_string();
        ASSERT_LE(reply.result().usage.prompt + 40, 200);
    }
    const auto state = state_of(talk);
    EXPECT_GT(state.metrics.trims, 0);
    EXPECT_LT(state.metrics.trims, 7) << "not at every turn";
    EXPECT_EQ(state.history[0].content, "Be kind.");
    EXPECT_EQ(state.history[1].role, "user");
    EXPECT_EQ(message(talk, -1), "I am well, too.");
}

TEST_F(a_full_context, ends_a_conversation_that_must_keep_its_exchanges) {
    server_options.parallel = 1;
    server_options.ctx_size = 200;
    config.conversation.reply_reserve = 40;
    config.conversation.trim = false;
    start();
    auto talk = bots->create();
    auto reply = say(talk, "Hello!");
    for (int turn = 0; turn < 8 && !reply.error(); ++turn) reply = say(talk, "And you?");
    expect_error(reply, errc::prompt_too_long);
    EXPECT_THAT(reply.result().diagnostics.client_message, HasSubstr("the messages have"));
    EXPECT_EQ(state_of(talk).metrics.trims, 0);
}

TEST_F(a_full_context, refuses_a_prompt_before_anything_is_sent) {
    server_options.parallel = 1;
    server_options.ctx_size = 100;
    config.conversation.reply_reserve = 40;
    start();
    auto talk = bots->create();
    std::string long_text;
    for (int i = 0; i < 100; ++i) long_text += " word";
    const auto reply = say(talk, long_text);
    expect_error(reply, errc::prompt_too_long);
    EXPECT_THAT(reply.result().diagnostics.client_message,
                AllOf(HasSubstr("40 for the reply"), HasSubstr("; shorten them, or start"),
                      HasSubstr("--ctx-size")));
    EXPECT_THAT(completions(server()), IsEmpty());
}

TEST_F(a_full_context, reports_how_short_a_reply_would_fit) {
    server_options.parallel = 1;
    server_options.ctx_size = 100;
    config.conversation.reply_reserve = 90;
    start();
    auto talk = bots->create();
    const auto reply = say(talk, "Hello!");
    expect_error(reply, errc::prompt_too_long);
    const auto& words = reply.result().diagnostics.client_message;
    std::smatch room;
    ASSERT_TRUE(std::regex_search(words, room, std::regex("limit the reply to ([0-9]+) tokens")))
        << words;
    consumer shorter(talk.generate({.max_tokens = std::stoi(room[1])}), consumer::continue_at_once);
    loop.run_to_end(shorter);
    EXPECT_FALSE(shorter.error()) << shorter.result().diagnostics.to_string();
}

}  // namespace
