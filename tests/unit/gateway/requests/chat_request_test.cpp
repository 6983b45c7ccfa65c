#include "read_requests.hpp"
#include "support/run_settings.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <random>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(chat_request, needs_nothing_but_a_message) {
    const auto r = chat(R"({"messages":[{"role":"user","content":"Hi"}]})");
    EXPECT_EQ(r.model, "");
    EXPECT_THAT(r.messages, ElementsAre(chat_message{.role = "user", .content = "Hi"}));
    EXPECT_FALSE(r.stream);
    EXPECT_FALSE(r.include_usage);
    EXPECT_EQ(r.affinity_key, "");
    EXPECT_EQ(r.options.tools, "");
    EXPECT_TRUE(r.options.parallel_tool_calls);
}

TEST(chat_request, has_the_defaults_of_the_configuration_and_not_those_of_openai) {
    request_defaults defaults;
    defaults.generation.temperature = 0.25;
    defaults.generation.stop = {"END"};
    defaults.stream_by = stream_by::chunk;
    const auto r = chat(
        R"({"messages":[{"role":"user","content":"Hi"}],"temperature":null,"stop":null,
            "stream_by":null})",
        defaults);
    EXPECT_EQ(r.options.temperature, 0.25);
    EXPECT_THAT(r.options.stop, ElementsAre("END"));
    EXPECT_EQ(r.stream_by, stream_by::chunk);
}

TEST(chat_request, reads_how_text_is_generated) {
    const auto o = chat_with(R"("temperature":0.5,"top_p":0.9,"top_k":7,"min_p":0.1,
        "presence_penalty":-1,"frequency_penalty":1.5,"repeat_penalty":1.2,"repeat_last_n":-1,
        "seed":42,"max_tokens":100,"stop":["a","b"])")
                       .options;
    EXPECT_EQ(o.temperature, 0.5);
    EXPECT_EQ(o.top_p, 0.9);
    EXPECT_EQ(o.top_k, 7);
    EXPECT_EQ(o.min_p, 0.1);
    EXPECT_EQ(o.presence_penalty, -1);
    EXPECT_EQ(o.frequency_penalty, 1.5);
    EXPECT_EQ(o.repeat_penalty, 1.2);
    EXPECT_EQ(o.repeat_last_n, -1);
    EXPECT_EQ(o.seed, 42);
    EXPECT_EQ(o.max_tokens, 100);
    EXPECT_THAT(o.stop, ElementsAre("a", "b"));
}

TEST(chat_request, reads_the_stream_and_its_unit) {
    const auto r =
        chat_with(R"("stream":true,"stream_options":{"include_usage":true},"stream_by":"chunk")");
    EXPECT_TRUE(r.stream);
    EXPECT_TRUE(r.include_usage);
    EXPECT_EQ(r.stream_by, stream_by::chunk);
    EXPECT_FALSE(chat_with(R"("stream":true,"stream_options":null)").include_usage);
}

TEST(chat_request, takes_the_newer_one_of_two_bounds_of_tokens) {
    const struct {
        const char* members;
        int max_tokens;
    } rows[] = {{R"("max_tokens":5)", 5},
                {R"("max_completion_tokens":7)", 7},
                {R"("max_tokens":5,"max_completion_tokens":7)", 7},
                {R"("max_tokens":5,"max_completion_tokens":null)", 5},
                {R"("max_tokens":-1)", 0},
                {R"("max_tokens":12.0)", 12},
                {R"("max_tokens":9007199254740991)", 1'000'000}};
    for (const auto& row : rows)
        EXPECT_EQ(chat_with(row.members).options.max_tokens, row.max_tokens) << row.members;
}

TEST(chat_request, brings_every_seed_into_the_servers_range) {
    const struct {
        const char* seed;
        std::int64_t read;
    } rows[] = {{"-1", -1},
                {"0", 0},
                {"4294967294", 4294967294},
                {"4294967295", 0},  // the server would read this value as no seed
                {"-2", 4294967293},
                {"1732000000000", 1732000000000 % 4294967295},
                {"18446744073709551615", INT64_MAX % 4294967295},
                {"-9223372036854775808", 4294967295 + INT64_MIN % 4294967295}};
    for (const auto& row : rows)
        EXPECT_EQ(chat_with(std::string("\"seed\":") + row.seed).options.seed, row.read)
            << row.seed;
}

TEST(chat_request, takes_what_clients_write_for_off) {
    EXPECT_THAT(chat_with(R"("stop":"")").options.stop, IsEmpty());
    EXPECT_THAT(chat_with(R"("stop":[])").options.stop, IsEmpty());
    EXPECT_EQ(chat_with(R"("top_k":-1)").options.top_k, 0);
    const auto top_p = chat_with(R"("top_p":0)").options.top_p;
    EXPECT_GT(top_p, 0);
    EXPECT_LT(top_p, 1e-6);
}

TEST(chat_request, is_pinned_by_its_session_else_its_cache_key_else_its_user) {
    EXPECT_EQ(chat_with(R"("user":"u","prompt_cache_key":"k","session_id":"s")").affinity_key, "s");
    EXPECT_EQ(chat_with(R"("user":"u","prompt_cache_key":"k","session_id":"")").affinity_key, "k");
    EXPECT_EQ(chat_with(R"("user":"u","prompt_cache_key":null)").affinity_key, "u");
}

TEST(chat_request, passes_over_what_it_does_not_know) {
    chat_with(R"("metadata":{"a":"b"},"store":true,"new":[1,{}],
        "n":1,"logprobs":false,"top_logprobs":null,"modalities":["text"],
        "functions":[])");
}

TEST(chat_request, is_refused_with_the_path_of_what_is_wrong) {
    const struct {
        const char *members, *param, *code;
    } rows[] = {
        {R"("model":7)", "model", "invalid_type"},
        {R"("stream":"yes")", "stream", "invalid_type"},
        {R"("stream":1)", "stream", "invalid_type"},
        {R"("stream_options":true)", "stream_options", "invalid_type"},
        {R"("stream_options":{"include_usage":1})", "stream_options.include_usage", "invalid_type"},
        {R"("stream_by":"word")", "stream_by", "invalid_value"},
        {R"("chunk_max_tokens":-2)", "chunk_max_tokens", "invalid_value"},
        {R"("peek_hold_ms":70000)", "peek_hold_ms", "invalid_value"},
        {R"("chunk_deadline_ms":1e99)", "chunk_deadline_ms", "invalid_value"},
        {R"("reasoning_limit_ms":1e99)", "reasoning_limit_ms", "invalid_value"},
        {R"("reasoning_limit_tokens":-2)", "reasoning_limit_tokens", "invalid_value"},
        {R"("temperature":"0")", "temperature", "invalid_type"},
        {R"("temperature":-0.1)", "temperature", "invalid_value"},
        {R"("temperature":101)", "temperature", "invalid_value"},
        {R"("top_p":1.1)", "top_p", "invalid_value"},
        {R"("presence_penalty":2.1)", "presence_penalty", "invalid_value"},
        {R"("repeat_penalty":0)", "repeat_penalty", "invalid_value"},
        {R"("max_tokens":0)", "max_tokens", "invalid_value"},
        {R"("max_tokens":1.5)", "max_tokens", "invalid_value"},
        {R"("max_completion_tokens":-2)", "max_completion_tokens", "invalid_value"},
        {R"("max_completion_tokens":[])", "max_completion_tokens", "invalid_type"},
        {R"("seed":"a")", "seed", "invalid_type"},
        {R"("stop":5)", "stop", "invalid_type"},
        {R"("stop":["a",5])", "stop[1]", "invalid_type"},
        {R"("stop":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15","16","17"])",
         "stop", "invalid_value"},
        {R"("n":2)", "n", "unsupported_value"},
        {R"("n":0)", "n", "unsupported_value"},
        {R"("logprobs":true)", "logprobs", "unsupported_value"},
        {R"("functions":[{}])", "functions", "unsupported_value"},
        {R"("modalities":["text","audio"])", "modalities[1]", "unsupported_value"},
        {R"("user":5)", "user", "invalid_type"},
        {R"("parallel_tool_calls":"no")", "parallel_tool_calls", "invalid_type"},
    };
    for (const auto& row : rows) {
        const auto e = refusal_with(row.members);
        EXPECT_EQ(e.status, 400) << row.members;
        EXPECT_EQ(e.type, "invalid_request_error") << row.members;
        EXPECT_EQ(e.param, row.param) << row.members;
        EXPECT_EQ(e.code, row.code) << row.members;
        EXPECT_THAT(e.message, HasSubstr(row.param)) << row.members;
    }
}

TEST(chat_request, is_refused_in_words_that_report_what_to_do) {
    EXPECT_EQ(refusal_with(R"("stream":"yes")").message,
              "stream must be true or false, not a string");
    EXPECT_EQ(refusal_with(R"("temperature":101)").message,
              "temperature is 101; it must be a number from 0 to 100");
    EXPECT_EQ(refusal("{}").message, "messages is missing");
}

TEST(chat_request, has_a_bound_of_its_pin) {
    const auto pin = [](std::size_t n) { return R"("session_id":")" + std::string(n, 'x') + "\""; };
    EXPECT_EQ(chat_with(pin(512)).affinity_key.size(), 512u);
    EXPECT_EQ(refusal_with(pin(513)).param, "session_id");
}

TEST(chat_request, has_a_bound_of_its_body) {
    EXPECT_EQ(refusal("{}", {.max_body_bytes = 1}).status, 413);
}

TEST(chat_request, is_read_or_refused_whatever_its_bytes) {
    const std::string body =
        R"({"model":"m","messages":[{"role":"system","content":[{"type":"text","text":"é"}]},)"
        R"({"role":"assistant","tool_calls":[{"id":"1","function":{"name":"f","arguments":"{}"}}]},)"
        R"({"role":"tool","content":"x","tool_call_id":"1"}],"tools":[{"type":"function",)"
        R"("function":{"name":"f","parameters":{"$ref":"#/$defs/a"}}}],"tool_choice":"required",)"
        R"("response_format":{"type":"json_schema","json_schema":{"schema":{}}},"stop":"x"})";
    ASSERT_EQ(chat(body).messages.size(), 3u);
    std::mt19937 random(1);
    for (auto runs = test::random_runs(20'000); runs > 0; --runs) {
        auto changed = body;
        for (int n = 0; n < 2; ++n) {
            const auto at = random() % changed.size();
            const auto length = random() % 12;
            changed.replace(at, random() % 2 ? length : 0, body, random() % body.size(), length);
        }
        const auto read = read_chat_request(changed, {});
        if (const auto* e = std::get_if<api_error>(&read)) {
            EXPECT_EQ(e->status, 400) << changed;
            EXPECT_FALSE(e->message.empty()) << changed;
        } else {
            EXPECT_THAT(check(std::get<chat_request>(read).options), IsEmpty()) << changed;
        }
    }
}

TEST(chat_request, is_refused_by_the_name_of_a_field_that_changes_the_answer_and_is_not_honoured) {
    for (const char* field : {R"("verbosity":"low")", R"("function_call":"auto")",
                              R"("web_search_options":{})", R"("top_logprobs":2)"}) {
        const auto e = refusal_with(field);
        EXPECT_EQ(e.status, 400) << field;
        EXPECT_EQ(e.code, "unsupported_value") << field;
        EXPECT_EQ("\"" + e.param + "\"", std::string(field).substr(0, e.param.size() + 2)) << field;
    }
}

TEST(chat_request, passes_further_fields_of_sampling_on_as_they_are) {
    for (const std::string field :
         {R"("logit_bias":{"5":-100})", R"("logit_bias":[[5,false],["a b",1.5]])",
          R"("samplers":["top_k","temperature"])", R"("ignore_eos":true)",
          R"("dry_multiplier":0.8)", R"("dry_base":2.0)", R"("dry_allowed_length":3)",
          R"("dry_penalty_last_n":64)", R"("dry_sequence_breakers":["x"])", R"("typical_p":0.5)",
          R"("xtc_probability":0.5)", R"("mirostat":2)", R"("dynatemp_range":0.5)",
          R"("top_n_sigma":1.0)"})
        EXPECT_EQ(chat_with(field).options.sampling, "{" + field + "}");
    EXPECT_EQ(chat_with(R"("dry_penalty_last_n":-1)").options.sampling,
              R"({"dry_penalty_last_n":1000000})")
        << "the whole context, as every server accepts it";
}

TEST(chat_request, passes_on_what_the_template_is_to_get) {
    EXPECT_EQ(chat_with(R"("chat_template_kwargs":{"enable_thinking":false},
                           "reasoning_effort":"low")")
                  .options.template_options,
              R"({"chat_template_kwargs":{"enable_thinking":false},"reasoning_effort":"low"})");
}

TEST(chat_request, is_refused_by_the_name_of_such_a_field_that_cannot_be_used) {
    const struct {
        const char *field, *param;
    } rows[] = {{R"("logit_bias":"x")", "logit_bias"},
                {R"("logit_bias":{"5":101})", "logit_bias"},
                {R"("logit_bias":[[5]])", "logit_bias[0]"},
                {R"("logit_bias":[[5,1],[-1,1]])", "logit_bias[1][0]"},
                {R"("samplers":[])", "samplers"},
                {R"("samplers":["top_k","nope"])", "samplers[1]"},
                {R"("ignore_eos":1)", "ignore_eos"},
                {R"("dry_base":0.5)", "dry_base"},
                {R"("dry_allowed_length":1.5)", "dry_allowed_length"},
                {R"("dry_sequence_breakers":[5])", "dry_sequence_breakers[0]"},
                {R"("mirostat":3)", "mirostat"},
                {R"("typical_p":1.1)", "typical_p"},
                {R"("chat_template_kwargs":"x")", "chat_template_kwargs"},
                {R"("chat_template_kwargs":{"messages":[]})", "chat_template_kwargs.messages"},
                {R"("reasoning_effort":3)", "reasoning_effort"}};
    for (const auto& row : rows) {
        const auto e = refusal_with(row.field);
        EXPECT_EQ(e.status, 400) << row.field;
        EXPECT_EQ(e.code, "invalid_value") << row.field;
        EXPECT_EQ(e.param, row.param) << row.field;
    }
    const auto huge = R"("logit_bias":{")" + std::string(70'000, 'x') + R"(":1})";
    EXPECT_EQ(refusal_with(huge).param, "logit_bias");
}

TEST(chat_request, takes_such_a_field_if_it_changes_nothing) {
    chat_with(R"("logit_bias":{},"ignore_eos":false,"dry_multiplier":0,"dry_base":1.75,
        "dry_allowed_length":2,"dry_penalty_last_n":-1,"typical_p":1,"xtc_probability":0,
        "mirostat":0,"dynatemp_range":0.0,"top_n_sigma":-1,"chat_template_kwargs":{},
        "reasoning_effort":null,"function_call":"none","top_logprobs":0)");
    EXPECT_EQ(chat_with(R"("logit_bias":{},"ignore_eos":false,"samplers":null)").options.sampling,
              "");
    chat_with(R"("logit_bias":[],"store":true,"metadata":{"a":"b"},"service_tier":"auto")");
}

}  // namespace
}  // namespace tandem::gateway
