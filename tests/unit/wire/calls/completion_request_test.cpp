#include "wire/calls/completion_request.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::wire {
namespace {

using nlohmann::json;

json body_of(std::span<const prompt_part> prompt, const generation_options& options = {},
             int n_predict = -1) {
    const auto settings = encode_completion_settings(options);
    return json::parse(encode_completion_body(
        {.prompt = prompt, .id_slot = 1, .n_predict = n_predict, .settings = settings}));
}

json body_of(std::string_view text, const generation_options& options = {}, int n_predict = -1) {
    const std::array<prompt_part, 1> prompt{text};
    return body_of(prompt, options, n_predict);
}

TEST(CompletionRequest, AsksForAStreamWithIdsTimingsAndTheCache) {
    const auto body = body_of("Hi");
    for (const auto* key : {"stream", "cache_prompt", "return_tokens", "timings_per_token"})
        EXPECT_EQ(body.at(key), true) << key;
    EXPECT_EQ(body.at("id_slot"), 1);
}

TEST(CompletionRequest, AsksForProgressInThePlaceOfTimingsWhereThatIsTold) {
    const auto body =
        json::parse('{' + encode_completion_settings({}, {}, prompt_progress_mode::progress) + '}');
    EXPECT_EQ(body.at("return_progress"), true);
    EXPECT_FALSE(body.contains("timings_per_token"));
}

TEST(CompletionRequest, AsksForTheMarksOfReasoningInTheText) {
    const std::vector<tag_pair> tags{{"<think>", "</think>"}, {"[T]", "[/T]"}};
    const auto body = json::parse('{' + encode_completion_settings({}, tags) + '}');
    EXPECT_EQ(body.at("preserved_tokens"), json({"<think>", "</think>", "[T]", "[/T]"}));
    EXPECT_FALSE(body_of("Hi").contains("preserved_tokens"));
}

TEST(CompletionRequest, AsksForTheTokensOfCallsWhereThereAreTools) {
    const auto tokens = body_of("Hi", {.tools = "[{}]"}).at("preserved_tokens");
    EXPECT_NE(std::find(tokens.begin(), tokens.end(), "<|channel|>"), tokens.end());
}

TEST(CompletionRequest, AsksForTheTokensOfCallsThatATemplateHas) {
    const std::vector<std::string> learned{"<tool_call>", "<|tools_prefix|>"};
    const auto text = encode_completion_settings({.tools = "[{}]"}, {}, {}, learned);
    const auto tokens = json::parse('{' + text + '}').at("preserved_tokens");
    for (const auto& token : learned)
        EXPECT_EQ(std::count(tokens.begin(), tokens.end(), token), 1) << token;
}

TEST(CompletionRequest, LetsARequiredCallBeJsonOfASchema) {
    const auto schema =
        body_of("Hi", {.tools = R"([{"function":{"name":"f"}}])", .tool_choice = "required"})
            .at("json_schema");
    EXPECT_EQ(schema["properties"]["name"]["const"], "f");
}

TEST(CompletionRequest, HasFurtherFieldsOfSampling) {
    const auto body = body_of("Hi", {.sampling = R"({"logit_bias": [[5, false]], "mirostat": 2})"});
    EXPECT_EQ(body.at("logit_bias"), json::parse("[[5,false]]"));
    EXPECT_EQ(body.at("mirostat"), 2);
    EXPECT_EQ(body.at("stream"), true);
}

TEST(CompletionRequest, AsksForASmallFinalEvent) {
    const auto fields = body_of("Hi").at("response_fields").get<std::vector<std::string>>();
    EXPECT_NE(std::find(fields.begin(), fields.end(), "stop_type"), fields.end());
    EXPECT_EQ(std::find(fields.begin(), fields.end(), "prompt"), fields.end());
}

TEST(CompletionRequest, SendsOneTextAsAString) {
    EXPECT_EQ(body_of("say \"hi\"\n\xE2\x82\xAC").at("prompt"), "say \"hi\"\n\xE2\x82\xAC");
    EXPECT_EQ(body_of("").at("prompt"), "");
}

TEST(CompletionRequest, SendsTokensAsAnArray) {
    const std::vector<token_id> ids{1, 0, 2147483647};
    const std::array<prompt_part, 1> prompt{std::span(ids)};
    EXPECT_EQ(body_of(prompt).at("prompt"), json({1, 0, 2147483647}));
}

TEST(CompletionRequest, SendsTextAndTokensInOrder) {
    const std::vector<token_id> ids{277, 5};
    const std::array<prompt_part, 5> prompt{"Hello", std::span(ids), "", std::span<token_id>{},
                                            " world"};
    EXPECT_EQ(body_of(prompt).at("prompt"), json({"Hello", 277, 5, " world"}));
}

TEST(CompletionRequest, SendsNoPromptAsAnEmptyArray) {
    EXPECT_EQ(body_of(std::span<const prompt_part>{}).at("prompt"), json::array());
}

TEST(CompletionRequest, SendsTheOptions) {
    generation_options o;
    o.temperature = 0.7;
    o.top_p = 0.9;
    o.top_k = 3;
    o.min_p = 0.1;
    o.repeat_penalty = 1.2;
    o.repeat_last_n = -1;
    o.presence_penalty = -0.5;
    o.frequency_penalty = 0.25;
    o.seed = 4294967295;
    o.stop = {"User:", "\n\n"};
    const auto body = body_of("Hi", o, 0);
    EXPECT_EQ(body.at("temperature"), 0.7);
    EXPECT_EQ(body.at("top_p"), 0.9);
    EXPECT_EQ(body.at("top_k"), 3);
    EXPECT_EQ(body.at("min_p"), 0.1);
    EXPECT_EQ(body.at("repeat_penalty"), 1.2);
    EXPECT_EQ(body.at("repeat_last_n"), -1);
    EXPECT_EQ(body.at("presence_penalty"), -0.5);
    EXPECT_EQ(body.at("frequency_penalty"), 0.25);
    EXPECT_EQ(body.at("seed"), 4294967295);
    EXPECT_EQ(body.at("stop"), json({"User:", "\n\n"}));
    EXPECT_EQ(body.at("n_predict"), 0);
}

TEST(CompletionRequest, SendsAGrammarAsTextAndASchemaAsAnObject) {
    EXPECT_EQ(body_of("Hi", {.grammar = "root ::= [a-z]"}).at("grammar"), "root ::= [a-z]");
    EXPECT_EQ(body_of("Hi", {.json_schema = R"({"type":"object"})"}).at("json_schema"),
              json({{"type", "object"}}));
    for (const auto* key : {"grammar", "json_schema", "tools"})
        EXPECT_FALSE(body_of("Hi").contains(key)) << key;
}

TEST(CompletionRequest, LeavesOutWhatIsNotSet) {
    const auto body = body_of("Hi");
    for (const auto* key : {"seed", "stop", "n_predict"}) EXPECT_FALSE(body.contains(key)) << key;
}

TEST(CompletionRequest, ReplacesBytesThatAreNotUtf8) {
    generation_options o;
    o.stop = {"\xFF"};
    const auto body = body_of("a\xFF", o);
    EXPECT_EQ(body.at("prompt"), "a\xEF\xBF\xBD");
    EXPECT_EQ(body.at("stop").at(0), "\xEF\xBF\xBD");
}

// The server builds the grammar in this order, and the model writes in this order.
TEST(CompletionRequest, KeepsTheOrderOfASchemasMembers) {
    EXPECT_NE(encode_completion_settings({.json_schema = R"({"type": "object", "properties":
                  {"why": {"type": "string"}, "answer": {"type": "string"}}})"})
                  .find(R"("json_schema":{"type":"object","properties":{"why":)"),
              std::string::npos);
}

// The server treats an empty list as absent, and then reuses slot text that was evaluated with
// other adapters.
TEST(CompletionRequest, NamesTheAdaptersOnlyIfThereAreAny) {
    EXPECT_EQ(body_of("Hi", {.lora = {{0, 0.5}, {2, 0.0}}}).at("lora"),
              nlohmann::json::parse(R"([{"id":0,"scale":0.5},{"id":2,"scale":0.0}])"));
    EXPECT_FALSE(body_of("Hi").contains("lora"));
}

}  // namespace
TEST(encode_completion_settings, leave_the_sampling_that_nobody_set_to_the_server) {
    const auto body = nlohmann::json::parse("{" + encode_completion_settings({}) + "}");
    for (const auto* field : {"temperature", "top_p", "top_k", "min_p", "repeat_penalty",
                              "repeat_last_n", "presence_penalty", "frequency_penalty", "seed"})
        EXPECT_FALSE(body.contains(field)) << field;
}

TEST(encode_completion_settings, ask_for_a_new_seed_if_the_server_may_have_one) {
    const auto body = nlohmann::json::parse("{" + encode_completion_settings({.seed = -1}) + "}");
    EXPECT_EQ(body.at("seed"), 0xFFFFFFFF);
}

}  // namespace tandem::wire
