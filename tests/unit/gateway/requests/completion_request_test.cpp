#include "gateway/requests/completion_request.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;

completion_request completion(const std::string& body) {
    auto read = read_completion_request(body, {});
    if (const auto* e = std::get_if<api_error>(&read)) {
        ADD_FAILURE() << body << ": " << e->message;
        return {};
    }
    return std::get<completion_request>(std::move(read));
}

TEST(text_completion_request, has_a_prompt_as_a_text_or_a_list_of_one) {
    EXPECT_EQ(completion(R"({"prompt":"Once"})").prompt, "Once");
    EXPECT_EQ(completion(R"({"prompt":["Once"]})").prompt, "Once");
}

TEST(text_completion_request, reads_what_requests_have_in_common) {
    const auto r = completion(R"({"model":"m","prompt":"x","max_tokens":3,"stop":"\n","stream":true,
        "stream_options":{"include_usage":true},"user":"u","seed":1})");
    EXPECT_EQ(r.model, "m");
    EXPECT_EQ(r.options.max_tokens, 3);
    EXPECT_THAT(r.options.stop, ElementsAre("\n"));
    EXPECT_TRUE(r.stream);
    EXPECT_TRUE(r.include_usage);
    EXPECT_EQ(r.affinity_key, "u");
    EXPECT_EQ(r.options.seed, 1);
}

TEST(text_completion_request, passes_over_what_is_off) {
    completion(R"({"prompt":"x","echo":false,"suffix":null,"logprobs":null,"n":1,"best_of":1})");
    completion(R"({"prompt":"x","suffix":"","logprobs":false})");
}

TEST(text_completion_request, has_the_form_that_a_grammar_or_a_schema_asks_for) {
    EXPECT_EQ(completion(R"({"prompt":"x","grammar":"root ::= \"a\""})").options.grammar,
              R"(root ::= "a")");
    EXPECT_EQ(completion(R"({"prompt":"x","json_schema":{"type":"array"}})").options.json_schema,
              R"({"type":"array"})");
    EXPECT_EQ(completion(R"({"prompt":"x","response_format":{"type":"json_object"}})")
                  .options.json_schema,
              R"({"type":"object"})");
}

TEST(text_completion_request, is_refused_with_the_path_of_what_is_wrong) {
    const struct {
        const char *body, *param;
    } rows[] = {
        {"{}", "prompt"},
        {R"({"prompt":5})", "prompt"},
        {R"({"prompt":""})", "prompt"},
        {R"({"prompt":[" \n"]})", "prompt"},
        {R"({"prompt":[]})", "prompt"},
        {R"({"prompt":["a","b"]})", "prompt"},
        {R"({"prompt":[5]})", "prompt[0]"},
        {R"({"prompt":[1212,318]})", "prompt"},
        {R"({"prompt":[[1212,318]]})", "prompt[0]"},
        {R"({"prompt":"x","echo":true})", "echo"},
        {R"({"prompt":"x","suffix":"y"})", "suffix"},
        {R"({"prompt":"x","logprobs":0})", "logprobs"},
        {R"({"prompt":"x","best_of":2})", "best_of"},
        {R"({"prompt":"x","n":2})", "n"},
        {R"({"prompt":"x","logit_bias":{"5":-101}})", "logit_bias"},
        {R"({"prompt":"x","chat_template_kwargs":{"a":1}})", "chat_template_kwargs"},
        {R"({"prompt":"x","reasoning_effort":"low"})", "reasoning_effort"},
        {R"({"prompt":"x","reasoning_limit_ms":5})", "reasoning_limit_ms"},
        {R"({"prompt":"x","reasoning_limit_tokens":5})", "reasoning_limit_tokens"},
        {R"({"prompt":"x","response_format":{"type":"xml"}})", "response_format.type"},
        {R"({"prompt":"x","temperature":-1})", "temperature"},
    };
    for (const auto& row : rows) {
        const auto read = read_completion_request(row.body, {});
        const auto* e = std::get_if<api_error>(&read);
        ASSERT_TRUE(e) << row.body;
        EXPECT_EQ(e->status, 400) << row.body;
        EXPECT_EQ(e->param, row.param) << row.body;
    }
}

TEST(text_completion_request, passes_on_further_sampling_and_the_form_of_the_answer) {
    const auto read = read_completion_request(
        R"({"prompt":"x","logit_bias":{"5":-100},"response_format":{"type":"json_object"}})", {});
    ASSERT_TRUE(std::holds_alternative<completion_request>(read));
    const auto& options = std::get<completion_request>(read).options;
    EXPECT_EQ(options.sampling, R"({"logit_bias":{"5":-100}})");
    EXPECT_EQ(options.json_schema, R"({"type":"object"})");
}

TEST(text_completion_request, has_none_of_the_gateways_tools) {
    request_defaults defaults;
    defaults.generation.tools = R"([{"type":"function","function":{"name":"f"}}])";
    defaults.generation.tool_choice = "required";
    defaults.generation.parallel_tool_calls = false;
    const auto read = read_completion_request(R"({"prompt":"x"})", defaults);
    ASSERT_TRUE(std::holds_alternative<completion_request>(read));
    const auto& options = std::get<completion_request>(read).options;
    EXPECT_EQ(options.tools, "");
    EXPECT_EQ(options.tool_choice, "");
    EXPECT_TRUE(options.parallel_tool_calls);
}

TEST(text_completion_request, has_a_bound_of_its_body) {
    const auto read = read_completion_request(R"({"prompt":"x"})", {.max_body_bytes = 5});
    ASSERT_TRUE(std::holds_alternative<api_error>(read));
    EXPECT_EQ(std::get<api_error>(read).status, 413);
}

}  // namespace
}  // namespace tandem::gateway
