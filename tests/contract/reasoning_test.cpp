#include "contract/contract_fixture.hpp"

#include "tandem/service.hpp"

// Replies that reason. The talk model reasons if its prompt, or a grammar, opens the reasoning. It
// never closes the reasoning by itself.
namespace tandem::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* template_file = TANDEM_SOURCE_DIR "/tests/contract/thinking_template.jinja";
// The maximum number of evaluated tokens: those of "</think>\n\n", and the few after them that are
// evaluated again if an id is unknown.
constexpr int few_tokens = 24;
constexpr int long_character = 4;  // tokens of one long character, which arrive together

class reasoning_contract : public contract {
 protected:
    reasoning_contract() { arguments_ = {"--jinja", "--chat-template-file", template_file}; }

    tandem::config limited(duration time, int tokens) {
        auto c = client_config();
        c.speech.reasoning_limit = time;
        c.speech.reasoning_limit_tokens = tokens;
        return c;
    }
    consumer say(const tandem::config& c, const std::string& prompt,
                 const generation_options& options) {
        client llm(loop().ioc.get_executor(), c, kept_log());
        consumer said(llm.start(prompt, options));
        EXPECT_TRUE(loop().run_to_end(said));
        EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
        return said;
    }
};
TANDEM_CONTRACT(reasoning_contract);

TEST_P(reasoning_contract, ends_at_its_limit_and_the_reply_speaks) {
    const auto c = limited({}, 8);
    for (const auto& turn : talk_turns()) {
        SCOPED_TRACE(turn.name);
        const auto said = say(c, turn.prompt + "<think>\n", {.max_tokens = 40});
        EXPECT_NE(said.text(), "");
        EXPECT_TRUE(said.result().metrics.reasoning_cut);
        EXPECT_LE(said.result().usage.reasoning, 8 + long_character);
        EXPECT_GT(said.result().usage.reasoning, 0);
        ASSERT_FALSE(said.chunks().empty());
        EXPECT_LE(said.chunks()[0].metrics.evaluated, few_tokens) << "it goes on from there";
    }
}

TEST_P(reasoning_contract, ends_in_time) {
    const auto said =
        say(limited(1ms, 0), talk_turns().front().prompt + "<think>\n", {.max_tokens = 200});
    EXPECT_NE(said.text(), "");
    EXPECT_TRUE(said.result().metrics.reasoning_cut);
    EXPECT_LT(said.result().usage.reasoning, 100);
}

TEST_P(reasoning_contract, that_a_grammar_forces_ends_at_its_limit) {
    if (GetParam() == server_kind::mock) GTEST_SKIP() << "the mock server knows no grammars";
    const std::string grammar =
        R"(root ::= "<think>" [a-z ]{300} "</think>" "Yes, of course. What time suits you?")";
    for (const int limit : {1, 2, 20, 1000}) {
        const auto said = say(limited({}, limit), talk_turns().front().prompt,
                              {.max_tokens = 2000, .temperature = 1, .grammar = grammar});
        EXPECT_NE(said.text(), "") << limit;
        EXPECT_EQ(said.result().metrics.reasoning_cut, limit < 1000);
        if (limit < 1000) continue;
        EXPECT_EQ(said.text(), "Yes, of course. What time suits you?");
    }
}

TEST_P(reasoning_contract, that_the_model_leaves_open_does_not_end_the_reply) {
    if (GetParam() == server_kind::mock) GTEST_SKIP() << "the mock server knows no grammars";
    const auto said = say(limited(1min, 0), talk_turns().front().prompt,
                          {.grammar = R"(root ::= "<think>They want a table.")"});
    EXPECT_NE(said.text(), "");
    EXPECT_EQ(said.result().reasoning, "They want a table.");
    EXPECT_TRUE(said.result().metrics.reasoning_cut);
}

TEST_P(reasoning_contract, of_a_conversation_is_switched_and_limited) {
    if (GetParam() == server_kind::mock) GTEST_SKIP() << "the mock server has another template";
    service_config c;
    c.servers = {url()};
    c.client = limited({}, 10);
    service bots(loop().ioc.get_executor(), c, kept_log());
    for (const bool thinks : {true, false}) {
        auto talk = bots.create();
        talk.append({.role = "user", .content = "I'd like to book a table."});
        const std::string on = R"({"chat_template_kwargs":{"enable_thinking":true}})";
        consumer said(
            talk.generate({.max_tokens = 40,
                           .template_options = thinks ? on : R"({"reasoning_effort":"none"})"}));
        ASSERT_TRUE(loop().run_to_end(said));
        EXPECT_NE(said.text(), "");
        EXPECT_EQ(said.result().usage.reasoning > 0, thinks);
        EXPECT_EQ(said.result().metrics.reasoning_cut, thinks);
    }
}

}  // namespace
}  // namespace tandem::testing
