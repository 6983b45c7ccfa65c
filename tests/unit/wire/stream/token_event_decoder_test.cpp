#include "wire/stream/token_event_decoder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using kind = token_event::kind;

token_event decoded(std::string_view json) {
    token_event e;
    EXPECT_EQ(decode_token_event(json, e), error_code()) << json;
    return e;
}

error_code failure_of(std::string_view json) {
    token_event e;
    return decode_token_event(json, e);
}

TEST(TokenEventDecoder, ReadsAPartialEvent) {
    const auto e =
        decoded(R"({"index":0,"content":" Hello","tokens":[9906],"stop":false,"id_slot":-1,)"
                R"("tokens_predicted":3,"tokens_evaluated":41})");
    EXPECT_EQ(e.what, kind::token);
    EXPECT_EQ(e.content, " Hello");
    EXPECT_THAT(e.tokens, ElementsAre(9906));
    EXPECT_EQ(e.predicted, 3);
    EXPECT_EQ(e.prompt_tokens, 41);
    EXPECT_FALSE(e.has_timings);
}

TEST(TokenEventDecoder, ReadsTimings) {
    const auto e = decoded(
        R"({"content":"a","tokens":[1],"timings":{"cache_n":390,"prompt_n":2,"prompt_ms":20.5,)"
        R"("prompt_per_token_ms":1.5,"predicted_n":1,"predicted_ms":7,"draft_n":0}})");
    EXPECT_TRUE(e.has_timings);
    EXPECT_EQ(e.timings.cached, 390);
    EXPECT_EQ(e.timings.evaluated, 2);
    EXPECT_EQ(e.timings.prompt_ms, 20.5);
    EXPECT_EQ(e.timings.predicted_ms, 7.0);
}

TEST(TokenEventDecoder, TakesUnknownCountsOfTimingsForNone) {
    EXPECT_EQ(decoded(R"({"content":"","timings":{"cache_n":-1,"prompt_n":-1}})").timings.cached,
              0);
}

TEST(TokenEventDecoder, ReadsTheEndTokenWithoutText) {
    const auto e = decoded(R"({"content":"","tokens":[2],"stop":false})");
    EXPECT_EQ(e.what, kind::token);
    EXPECT_EQ(e.content, "");
    EXPECT_THAT(e.tokens, ElementsAre(2));
}

TEST(TokenEventDecoder, LeavesOutTheBogusTokenOfAProgressEvent) {
    const auto e =
        decoded(R"({"index":0,"content":"","tokens":[0],"stop":false,"tokens_predicted":0,)"
                R"("prompt_progress":{"total":100,"cache":0,"processed":64,"time_ms":5}})");
    EXPECT_EQ(e.what, kind::progress);
    EXPECT_THAT(e.tokens, IsEmpty());
}

TEST(TokenEventDecoder, ReadsHowFarThePromptIsEvaluated) {
    const auto e =
        decoded(R"({"index":0,"content":"","tokens":[0],"stop":false,"tokens_predicted":0,)"
                R"("tokens_evaluated":100,"prompt_progress":{"total":100,"cache":30,)"
                R"("processed":64,"time_ms":5,"more":{"cache":7}}})");
    EXPECT_TRUE(e.has_timings);
    EXPECT_EQ(e.timings.cached, 30);
    EXPECT_EQ(e.timings.evaluated, 34);
    EXPECT_EQ(e.prompt_tokens, 100);
}

TEST(TokenEventDecoder, TakesNoEvaluationFromProgressThatMakesNoSense) {
    const auto e = decoded(
        R"({"content":"","stop":false,"prompt_progress":{"cache":30,"processed":-1,"total":9}})");
    EXPECT_EQ(e.timings.evaluated, 0);
}

TEST(TokenEventDecoder, ReadsAFinalEvent) {
    const auto e =
        decoded(R"({"index":0,"content":"","tokens":[],"id_slot":1,"stop":true,"model":"m",)"
                R"("tokens_predicted":17,"tokens_evaluated":41,"prompt":"…","has_new_line":false,)"
                R"("truncated":true,"stop_type":"word","stopping_word":"User:","tokens_cached":57,)"
                R"("timings":{"cache_n":40,"prompt_n":1}})");
    EXPECT_EQ(e.what, kind::final);
    EXPECT_EQ(e.stop, stop_type::word);
    EXPECT_EQ(e.stopping_word, "User:");
    EXPECT_EQ(e.id_slot, 1);
    EXPECT_TRUE(e.truncated);
    EXPECT_EQ(e.predicted, 17);
    EXPECT_EQ(e.slot_tokens, 57);
    EXPECT_EQ(e.timings.cached, 40);
}

TEST(TokenEventDecoder, ReadsEachReasonToStop) {
    EXPECT_EQ(decoded(R"({"stop":true,"stop_type":"eos"})").stop, stop_type::eos);
    EXPECT_EQ(decoded(R"({"stop":true,"stop_type":"word"})").stop, stop_type::word);
    EXPECT_EQ(decoded(R"({"stop":true,"stop_type":"limit"})").stop, stop_type::limit);
    EXPECT_EQ(decoded(R"({"stop":true,"stop_type":"none"})").stop, stop_type::none);
    EXPECT_EQ(decoded(R"({"stop":true,"stop_type":"new one"})").stop, stop_type::none);
}

TEST(TokenEventDecoder, ReadsTheReasonToStopOfOldServers) {
    const auto reason = [](const char* eos, const char* word, const char* limit) {
        return decoded(fmt::format(R"({{"content":"","stop":true,"stopped_eos":{},)"
                                   R"("stopped_word":{},"stopped_limit":{},"stopping_word":""}})",
                                   eos, word, limit))
            .stop;
    };
    EXPECT_EQ(reason("true", "false", "false"), stop_type::eos);
    EXPECT_EQ(reason("false", "true", "false"), stop_type::word);
    EXPECT_EQ(reason("false", "false", "true"), stop_type::limit);
    EXPECT_EQ(reason("false", "false", "false"), stop_type::none);
    EXPECT_EQ(failure_of(R"({"content":"","stop":true,"stopped_eos":"yes"})"), errc::bad_response);
}

TEST(TokenEventDecoder, SkipsUnknownFieldsOfAnyShape) {
    const auto e = decoded(
        R"({"generation_settings":{"content":"no","stop":["a"],"tokens":{},"error":{"code":1},)"
        R"("samplers":["top_k"],"n":[{"stop":true}]},"x":[[{"content":7}]],"y":null,"z":1e300,)"
        R"("big":99999999999999999999,"content":"yes","completion_probabilities":)"
        R"([{"id":1,"tokens":["a"],"timings":{"cache_n":"x"}}],"timings":{"deep":{"cache_n":9}}})");
    EXPECT_EQ(e.what, kind::token);
    EXPECT_EQ(e.content, "yes");
    EXPECT_THAT(e.tokens, IsEmpty());
    EXPECT_EQ(e.timings.cached, 0);
}

TEST(TokenEventDecoder, TakesNullForNoValue) {
    const auto e =
        decoded(R"({"content":"a","tokens":null,"error":null,"timings":null,"stop":null})");
    EXPECT_EQ(e.what, kind::token);
    EXPECT_FALSE(e.has_timings);
}

TEST(TokenEventDecoder, ReadsAnErrorOfTheStream) {
    const auto e = decoded(
        R"({"error":{"code":400,"message":"the request exceeds the available context size",)"
        R"("type":"exceed_context_size_error","n_prompt_tokens":5000,"n_ctx":4096}})");
    EXPECT_EQ(e.what, kind::error);
    EXPECT_EQ(e.error_status, 400);
    EXPECT_EQ(e.error_type, "exceed_context_size_error");
    EXPECT_EQ(e.error_message, "the request exceeds the available context size");
    EXPECT_EQ(e.error_prompt_tokens, 5000);
    EXPECT_EQ(e.error_context, 4096);
}

TEST(TokenEventDecoder, ReadsErrorsOfOtherShapes) {
    EXPECT_EQ(decoded(R"({"error":"out of cheese"})").error_message, "out of cheese");
    EXPECT_EQ(decoded(R"({"error":{}})").what, kind::error);
    const auto odd =
        decoded(R"({"error":{"code":"invalid_key","message":["x"],"type":null,"n_ctx":{}}})");
    EXPECT_EQ(odd.what, kind::error);
    EXPECT_EQ(odd.error_status, 0);
}

TEST(TokenEventDecoder, ReadsAnErrorOfOldServers) {
    const auto e = decoded(R"({"code":500,"message":"oh","type":"server_error"})");
    EXPECT_EQ(e.what, kind::error);
    EXPECT_EQ(e.error_status, 500);
    EXPECT_EQ(e.error_message, "oh");
}

TEST(TokenEventDecoder, RefusesWhatIsNoTokenEvent) {
    for (const std::string_view json : {
             "",
             "[DONE]",
             "null",
             "1",
             "\"content\"",
             "[]",
             "[{\"content\":\"a\"}]",
             "{}",
             R"({"choices":[]})",
             R"({"tokens":[1]})",
             R"({"stop":false})",
             "{\"content\":\"a\"",
             R"({"content":"a"} x)",
             R"({"content":"a",})",
             "{'content':'a'}",
             "<html>",
         })
        EXPECT_EQ(failure_of(json), errc::bad_response) << json;
}

TEST(TokenEventDecoder, RefusesValuesOfTheWrongType) {
    for (const std::string_view json : {
             R"({"content":1})",
             R"({"content":{}})",
             R"({"content":["a"]})",
             R"({"content":"a","tokens":1})",
             R"({"content":"a","tokens":{"a":1}})",
             R"({"content":"a","tokens":["1"]})",
             R"({"content":"a","tokens":[1.5]})",
             R"({"content":"a","tokens":[[1]]})",
             R"({"content":"a","tokens":[null]})",
             R"({"content":"a","tokens":[true]})",
             R"({"content":"a","stop":"yes"})",
             R"({"content":"a","tokens_predicted":1.5})",
             R"({"content":"a","timings":[]})",
             R"({"content":"a","timings":{"cache_n":"1"}})",
             R"({"content":"a","id_slot":"1"})",
         })
        EXPECT_EQ(failure_of(json), errc::bad_response) << json;
}

TEST(TokenEventDecoder, RefusesNumbersOutOfRange) {
    for (
        const std::string_view json : {
            R"({"content":"a","tokens":[2147483648]})",
            R"({"content":"a","tokens":[-1]})",
            R"({"content":"a","tokens":[18446744073709551615]})",
            R"({"content":"a","tokens":[99999999999999999999]})",
            R"({"content":"a","tokens_predicted":16777217})",
            R"({"index":0,"content":"a","tokens":[1],"stop":false,"id_slot":-1,"tokens_predicted":2147483647,"tokens_evaluated":1})",
            R"({"content":"a","tokens_evaluated":-1})",
            R"({"content":"a","id_slot":-2})",
            R"({"content":"a","timings":{"cache_n":16777217}})",
        })
        EXPECT_EQ(failure_of(json), errc::bad_response) << json;
    EXPECT_THAT(decoded(R"({"content":"a","tokens":[2147483647]})").tokens,
                ElementsAre(2147483647));
}

std::string nested(int depth) {
    return R"({"content":"a","x":)" + std::string(static_cast<std::size_t>(depth), '[') +
           std::string(static_cast<std::size_t>(depth), ']') + "}";
}

TEST(TokenEventDecoder, RefusesWhatIsNestedTooDeep) {
    EXPECT_EQ(failure_of(nested(63)), error_code());
    EXPECT_EQ(failure_of(nested(64)), errc::bad_response);
    EXPECT_EQ(failure_of(nested(200'000)), errc::bad_response);
}

TEST(TokenEventDecoder, RefusesWhatIsTooLarge) {
    const auto large = R"({"content":")" + std::string(max_event_bytes, 'a') + R"("})";
    EXPECT_EQ(failure_of(large), errc::response_too_large);
}

TEST(TokenEventDecoder, LeavesTheBytesOfTheTextAsTheyAre) {
    for (const std::string text : {"a\xFF\xE2\x82", "\xAC\xE2\x82\xAC", "\xF4\x8F\xB9\xBF\x80"})
        for (const std::string begin : {"{\"content\":\"", "{ \"index\":0,\"content\":\""})
            EXPECT_EQ(decoded(begin + text + "\"}").content, text);
}

TEST(TokenEventDecoder, ReadsEscapesNextToBytesThatAreNotUtf8) {
    EXPECT_EQ(decoded("{\"content\":\"\xFF\\n\\u00e9\xE2\"}").content, "\xFF\n\xC3\xA9\xE2");
}

// A character in the range that the decoder uses to represent stray bytes.
TEST(TokenEventDecoder, ReplacesBytesWhereAnEscapeMightBeTakenForThem) {
    for (const char* escape : {"\\udbff\\ude41", "\\uDBFF\\uDE41"})
        EXPECT_EQ(decoded("{\"content\":\"" + std::string(escape) + "\xE2\"}").content,
                  "\xF4\x8F\xB9\x81\xEF\xBF\xBD");
}

TEST(TokenEventDecoder, ReplacesBytesThatAreNotUtf8InAllOtherWords) {
    EXPECT_EQ(decoded("{\"content\":\"\",\"stop\":true,\"stopping_word\":\"a\xFF\"}").stopping_word,
              "a\xEF\xBF\xBD");
    const auto e =
        decoded("{\"error\":{\"code\":500,\"message\":\"m\xE2\x82\",\"type\":\"t\x80\"}}");
    EXPECT_EQ(e.error_message, "m\xEF\xBF\xBD");
    EXPECT_EQ(e.error_type, "t\xEF\xBF\xBD");
}

TEST(TokenEventDecoder, ReadsEscapes) {
    EXPECT_EQ(decoded(R"({"content":"a\n\"\\\u00e9\ud83d\ude00"})").content,
              "a\n\"\\\xC3\xA9\xF0\x9F\x98\x80");
    EXPECT_EQ(failure_of(R"({"content":"\ud83d"})"), errc::bad_response);
}

TEST(TokenEventDecoder, LeavesNothingOfTheEventBefore) {
    token_event e =
        decoded(R"({"content":"x","tokens":[1],"stop":true,"stop_type":"eos","stopping_word":"w",)"
                R"("id_slot":1,"truncated":true,"tokens_cached":5,"tokens_predicted":2,)"
                R"("tokens_evaluated":3,"timings":{"cache_n":1}})");
    ASSERT_EQ(decode_token_event(R"({"content":"y"})", e), error_code());
    EXPECT_EQ(e.what, kind::token);
    EXPECT_THAT(e.tokens, IsEmpty());
    EXPECT_EQ(e.stop, stop_type::none);
    EXPECT_EQ(e.stopping_word, "");
    EXPECT_EQ(e.id_slot, -1);
    EXPECT_FALSE(e.truncated || e.has_timings);
    EXPECT_EQ(e.predicted + e.prompt_tokens + e.slot_tokens + e.timings.cached, 0);
}

TEST(TokenEventDecoder, LeavesNothingOfAnErrorBefore) {
    token_event e =
        decoded(R"({"error":{"code":1,"type":"t","message":"m","n_ctx":2,"n_prompt_tokens":3}})");
    ASSERT_EQ(decode_token_event(R"({"content":"y"})", e), error_code());
    EXPECT_EQ(e.error_status + e.error_context + e.error_prompt_tokens, 0);
    EXPECT_EQ(e.error_type + e.error_message, "");
}

TEST(TokenEventDecoder, KeepsTheMemoryOfAUsedEvent) {
    token_event e =
        decoded(R"({"content":"a text that is too long for a small string","tokens":[1,2]})");
    const auto* content = e.content.data();
    const auto* tokens = e.tokens.data();
    ASSERT_EQ(decode_token_event(
                  R"({"content":"another text, longer than a small string","tokens":[3]})", e),
              error_code());
    EXPECT_EQ(e.content.data(), content);
    EXPECT_EQ(e.tokens.data(), tokens);
}

TEST(TokenEventDecoder, KnowsTheMarkThatIsNotJson) {
    EXPECT_TRUE(is_done_marker("[DONE]"));
    EXPECT_FALSE(is_done_marker("{}"));
}

}  // namespace
}  // namespace tandem::wire
