#include "contract/contract_fixture.hpp"

// Replies that a grammar or a schema constrains.
namespace tandem::testing {
namespace {

class constrained_contract : public contract {
 protected:
    consumer say(const generation_options& options) {
        auto c = client_config();
        c.chunking.first_chunk_min_tokens = 0;
        client llm(loop().ioc.get_executor(), c, kept_log());
        consumer said(llm.start(talk_turns().front().prompt, options));
        EXPECT_TRUE(loop().run_to_end(said));
        return said;
    }
};
TANDEM_CONTRACT(constrained_contract);

constexpr const char* three_sentences =
    R"(root ::= "The sun shines. " "The birds are singing. " "It is a fine day.")";

TEST_P(constrained_contract, is_one_request_whose_chunks_come_at_their_pace) {
    const auto said = say({.grammar = three_sentences});
    EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
    EXPECT_EQ(said.result().metrics.requests, 1);
    EXPECT_EQ(said.result().metrics.cuts, 0);
    EXPECT_GT(said.chunks().size(), 1u);
    EXPECT_EQ(log().count(log_level::debug, "one uncut request"), 1u);
    // The mock server does not support grammars.
    if (GetParam() == server_kind::mock) return;
    EXPECT_EQ(said.text(), "The sun shines. The birds are singing. It is a fine day.");
}

TEST_P(constrained_contract, that_has_a_schema_is_the_json_of_it) {
    const auto said = say({.max_tokens = 60, .json_schema = R"({"enum":["yes"]})"});
    EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
    EXPECT_EQ(said.result().metrics.requests, 1);
    if (GetParam() == server_kind::mock) return;
    EXPECT_EQ(json::parse(said.text()), json("yes"));
}

TEST_P(constrained_contract, by_a_grammar_that_is_none_fails_before_any_text) {
    const auto said = say({.grammar = "root ::= (((("});
    EXPECT_EQ(said.result().error, errc::bad_request);
    EXPECT_THAT(said.result().diagnostics.server_message, ::testing::HasSubstr("grammar"));
    EXPECT_EQ(said.text(), "");
    EXPECT_EQ(said.result().metrics.requests, 1) << "it is not retried";
}

}  // namespace
}  // namespace tandem::testing
