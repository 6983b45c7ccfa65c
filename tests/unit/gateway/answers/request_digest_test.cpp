#include "gateway/answers/request_digest.hpp"

#include "unit/gateway/requests/read_requests.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace tandem::gateway {
namespace {

std::optional<request_digest> key_with(std::string_view members) {
    return make_cache_key(chat_with(members), "talk");
}

std::optional<request_digest> key_of_messages(std::string_view messages) {
    return make_cache_key(chat(R"({"temperature":0,"messages":)" + std::string(messages) + "}"),
                          "talk");
}

completion_request completion_with(std::string_view members) {
    const auto body = R"({"prompt":"Hi",)" + std::string(members) + "}";
    return std::get<completion_request>(read_completion_request(body, {}));
}

const auto plain = R"("temperature":0)";

TEST(request_digest, is_the_same_for_the_same_question_however_it_is_written) {
    const auto key = key_with(plain);
    ASSERT_TRUE(key);
    EXPECT_EQ(key, make_cache_key(chat(R"( {"temperature" : 0.0,
        "messages" : [ {"content" : [{"type":"text","text":"H\u0069"}], "role":"user"} ]})"),
                                  "talk"));
}

TEST(request_digest, leaves_out_who_asks_and_how_the_answer_is_reported) {
    const auto key = key_with(plain);
    for (const auto* more :
         {R"("user":"anna")", R"("session_id":"s1")", R"("prompt_cache_key":"k")",
          R"("stream_options":{"include_usage":true})", R"("stream_by":"chunk")",
          R"("metadata":{"a":"b"})", R"("model":"another-name-for-the-one-model")"})
        EXPECT_EQ(key, key_with(std::string(plain) + "," + more)) << more;
}

TEST(request_digest, is_none_where_fields_of_sampling_may_make_the_answer_random) {
    EXPECT_FALSE(key_with(std::string(plain) + R"(,"dynatemp_range":0.5)"));
    EXPECT_FALSE(make_cache_key(completion_with(R"("temperature":0,"mirostat":2)"), "talk"));
}

TEST(request_digest, is_another_one_for_all_that_changes_the_answer) {
    const auto tool = [](std::string_view name) {
        return R"("tools":[{"type":"function","function":{"name":")" + std::string(name) +
               R"("}}])";
    };
    std::set<request_digest> keys{*key_with(plain)};
    for (const auto& more :
         {std::string(R"("max_tokens":7)"),
          std::string(R"("reasoning_effort":"low")"),
          std::string(R"("chat_template_kwargs":{"enable_thinking":false})"),
          std::string(R"("reasoning_limit_ms":5)"),
          std::string(R"("reasoning_limit_tokens":5)"),
          std::string(R"("reasoning_limit_ms":0)"),
          std::string(R"("reasoning_limit_tokens":0)"),
          std::string(R"("top_p":0.5)"),
          std::string(R"("top_k":3)"),
          std::string(R"("min_p":0.2)"),
          std::string(R"("stop":"x")"),
          std::string(R"("stop":["x","y"])"),
          std::string(R"("seed":5)"),
          std::string(R"("presence_penalty":1)"),
          std::string(R"("frequency_penalty":1)"),
          std::string(R"("repeat_penalty":1.3)"),
          std::string(R"("repeat_last_n":9)"),
          tool("now"),
          tool("then"),
          tool("now") + R"(,"parallel_tool_calls":false)",
          tool("now") + R"(,"tool_choice":"required")",
          std::string(R"("response_format":{"type":"json_object"})"),
          std::string(R"("response_format":{"type":"json_schema","json_schema":{"name":"n",
              "schema":{"type":"object","properties":{"a":{"type":"integer"}}}}})")})
        EXPECT_TRUE(keys.insert(*key_with(std::string(plain) + "," + more)).second) << more;
    EXPECT_TRUE(keys.insert(*make_cache_key(chat_with(plain), "another")).second);
    EXPECT_TRUE(keys.insert(*make_cache_key(chat_with(plain), "talk", "anna")).second);
    EXPECT_TRUE(keys.insert(*make_cache_key(completion_with(plain), "talk")).second);
}

TEST(request_digest, knows_where_a_message_ends) {
    std::set<request_digest> keys;
    for (const auto* messages :
         {R"([{"role":"user","content":"ab"}])",
          R"([{"role":"user","content":"a"},{"role":"user","content":"b"}])",
          R"([{"role":"user","content":"a"},{"role":"system","content":"b"}])",
          R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":
              "c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool",
              "tool_call_id":"c1","content":"b"}])",
          R"([{"role":"user","content":"a"},{"role":"assistant","content":"","tool_calls":[{"id":
              "c1","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool",
              "tool_call_id":"c1","content":"b"}])"})
        EXPECT_TRUE(keys.insert(key_of_messages(messages).value()).second) << messages;
}

TEST(request_digest, is_only_for_what_would_be_answered_the_same_again) {
    EXPECT_FALSE(key_with(R"("temperature":0.1)"));
    EXPECT_FALSE(key_with(R"("temperature":0,"stream":true)"));
    EXPECT_FALSE(make_cache_key(completion_with(R"("temperature":1)"), "talk"));
}

TEST(request_digest, is_not_wanted_where_cache_control_says_so) {
    for (const auto* header : {"no-cache", "max-age=0, No-Store"})
        EXPECT_TRUE(bypasses_cache(header)) << header;
    for (const auto* header : {"", "max-age=60"}) EXPECT_FALSE(bypasses_cache(header)) << header;
}

}  // namespace
}  // namespace tandem::gateway
