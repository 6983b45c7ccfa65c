#include "wire/calls/server_messages.hpp"

#include "wire/json/wire_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::wire {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServerMessages : public testing::Test {
 protected:
    diagnostics diag_;
};

// The context of a turn

TEST_F(ServerMessages, ContextPrecedesTheWordsOfTheLastUserMessage) {
    std::vector<chat_message> messages{{.role = "user", .content = "Hi"},
                                       {.role = "assistant", .content = "Hello."},
                                       {.role = "user", .content = "What time is it?"},
                                       {.role = "assistant", .content = ""}};
    insert_turn_context(messages, "It is noon.");
    EXPECT_EQ(messages[0].content, "Hi");
    EXPECT_EQ(messages[2].content, "It is noon.\n\nWhat time is it?");
    EXPECT_EQ(messages.size(), 4u);
}

TEST_F(ServerMessages, ContextIsAMessageIfTheUserHasNone) {
    std::vector<chat_message> messages{{.role = "system", .content = "Greet."}};
    insert_turn_context(messages, "");
    EXPECT_EQ(messages.size(), 1u);
    insert_turn_context(messages, "It is noon.");
    ASSERT_EQ(messages.size(), 2u);
    EXPECT_EQ(messages[1].role, "user");
    EXPECT_EQ(messages[1].content, "It is noon.");
}

// /health

TEST_F(ServerMessages, HealthIsOkOrNot) {
    EXPECT_EQ(decode_health({200, R"({"status":"ok"})"}, diag_), error_code());
    EXPECT_EQ(decode_health({200, R"({"status":"UP"})"}, diag_), errc::bad_response);
    EXPECT_EQ(decode_health({200, "fine"}, diag_), errc::bad_response);
    EXPECT_EQ(
        decode_health({503, R"({"error":{"message":"Loading model","type":"unavailable_error"}})"},
                      diag_),
        errc::model_loading);
}

// /props

constexpr std::string_view props_body =
    R"({"default_generation_settings":{"id":0,"n_ctx":4096,"params":{"n_ctx":7}},"total_slots":2,)"
    R"("model_alias":"talk","model_path":"/m/talk-q4.gguf","modalities":{"vision":false},)"
    R"("chat_template":"{{ x }}","bos_token":"<s>","eos_token":"</s>",)"
    R"("build_info":"b11669-Debian","is_sleeping":true,"endpoint_slots":false,)"
    R"("endpoint_props":true,"endpoint_metrics":true})";

TEST_F(ServerMessages, PropsAreRead) {
    server_props p;
    ASSERT_EQ(decode_props({200, props_body}, p, diag_), error_code());
    EXPECT_EQ(p.total_slots, 2);
    EXPECT_EQ(p.context_per_slot, 4096);
    EXPECT_EQ(p.model, "talk");
    EXPECT_EQ(p.model_path, "/m/talk-q4.gguf");
    EXPECT_EQ(p.build_info, "b11669-Debian");
    EXPECT_EQ(p.chat_template, "{{ x }}");
    EXPECT_EQ(p.bos_token, "<s>");
    EXPECT_EQ(p.eos_token, "</s>");
    EXPECT_TRUE(p.is_sleeping && p.has_metrics_endpoint && p.has_props_endpoint);
    EXPECT_FALSE(p.has_slots_endpoint);
}

TEST_F(ServerMessages, PropsNeedNothingButTheSlots) {
    server_props p;
    ASSERT_EQ(
        decode_props({200, R"({"total_slots":1,"is_sleeping":"?","bos_token":null})"}, p, diag_),
        error_code());
    EXPECT_EQ(p.context_per_slot, 0);
    EXPECT_EQ(p.model, "");
    EXPECT_TRUE(p.has_slots_endpoint);
}

TEST_F(ServerMessages, PropsNameTheModelsFileWithoutAnAlias) {
    server_props p;
    decode_props({200, R"({"total_slots":1,"model_path":"/models/a.gguf"})"}, p, diag_);
    EXPECT_EQ(p.model, "a.gguf");
    decode_props({200, R"({"total_slots":1,"model_path":"b.gguf"})"}, p, diag_);
    EXPECT_EQ(p.model, "b.gguf");
    decode_props({200, R"({"total_slots":1,"model_path":"m/c.gguf","model_alias":"m/c.gguf"})"}, p,
                 diag_);
    EXPECT_EQ(p.model, "c.gguf");
}

TEST_F(ServerMessages, PropsOfARouterAreToldAsSuch) {
    server_props p;
    EXPECT_EQ(decode_props({200, R"({"role":"router","total_slots":1})"}, p, diag_),
              errc::not_supported);
    EXPECT_THAT(diag_.client_message, HasSubstr("router"));
}

TEST_F(ServerMessages, PropsOfAnotherShapeAreRefused) {
    server_props p;
    for (const std::string_view body : {"", "{}", "[]", "null", R"({"total_slots":0})",
                                        R"({"total_slots":"2"})", R"({"total_slots":2147483648})"})
        EXPECT_EQ(decode_props({200, body}, p, diag_), errc::bad_response) << body;
    EXPECT_EQ(p.total_slots, 0);
}

// /slots

TEST_F(ServerMessages, SlotsAreRead) {
    std::vector<slot_state> slots;
    ASSERT_EQ(
        decode_slots(
            {200, R"([{"id":0,"n_ctx":2048,"speculative":false,"is_processing":false},)"
                  R"({"id":1,"n_ctx":2048,"speculative":true,"is_processing":true,"id_task":7,)"
                  R"("n_prompt_tokens":50,"n_prompt_tokens_processed":9,)"
                  R"("n_prompt_tokens_cache":41,"params":{"id":9},)"
                  R"("next_token":[{"n_remain":-1,"n_decoded":12}]}])"},
            slots, diag_),
        error_code());
    ASSERT_EQ(slots.size(), 2u);
    EXPECT_FALSE(slots[0].processing);
    EXPECT_FALSE(slots[0].speculative);
    EXPECT_EQ(slots[0].task, std::nullopt);
    EXPECT_EQ(slots[0].prompt_tokens, 0);
    EXPECT_EQ(slots[1].id, 1);
    EXPECT_EQ(slots[1].context, 2048);
    EXPECT_TRUE(slots[1].processing);
    EXPECT_TRUE(slots[1].speculative);
    EXPECT_EQ(slots[1].task, 7);
    EXPECT_EQ(slots[1].prompt_tokens, 50);
    EXPECT_EQ(slots[1].cached_tokens, 41);
    EXPECT_EQ(slots[1].evaluated_tokens, 9);
    EXPECT_EQ(slots[1].decoded, 12);
}

TEST_F(ServerMessages, SlotsTellTheirTokensInEitherShape) {
    std::vector<slot_state> slots;
    decode_slots({200, R"([{"id":0,"next_token":{"n_decoded":3}},{"id":1,"next_token":[]}])"},
                 slots, diag_);
    EXPECT_EQ(slots.at(0).decoded, 3);
    EXPECT_EQ(slots.at(1).decoded, 0);
}

TEST_F(ServerMessages, SlotsOfAnotherShapeAreRefused) {
    std::vector<slot_state> slots;
    EXPECT_EQ(decode_slots({200, "{}"}, slots, diag_), errc::bad_response);
    EXPECT_EQ(decode_slots({200, "[1]"}, slots, diag_), errc::bad_response);
    EXPECT_EQ(decode_slots({200, "[{}]"}, slots, diag_), errc::bad_response);
}

TEST_F(ServerMessages, ASlotWhoseNumberIsNoneIsNotTakenForSlotZero) {
    std::vector<slot_state> slots;
    EXPECT_EQ(decode_slots({200, R"([{"id":-1}])"}, slots, diag_), errc::bad_response);
    EXPECT_EQ(decode_slots({200, R"([{"id":4294967296}])"}, slots, diag_), errc::bad_response);
}

TEST_F(ServerMessages, SlotsThatAreSwitchedOffAreNotSupported) {
    std::vector<slot_state> slots;
    EXPECT_EQ(decode_slots(
                  {501, R"({"error":{"code":501,"message":"off","type":"not_supported_error"}})"},
                  slots, diag_),
              errc::not_supported);
    EXPECT_EQ(diag_.server_message, "off");
}

// /tokenize

TEST_F(ServerMessages, APromptIsTokenizedWithItsSpecialTokens) {
    EXPECT_EQ(
        json::parse(tokenize_body("Hi \xE2\x82\xAC")),
        (json{{"content", "Hi \xE2\x82\xAC"}, {"add_special", true}, {"parse_special", true}}));
}

TEST_F(ServerMessages, ATailIsTokenizedWithItsSpecialTokensButWithoutBos) {
    EXPECT_EQ(json::parse(tokenize_continuation_body("<|im_end|>\n")),
              (json{{"content", "<|im_end|>\n"}, {"add_special", false}, {"parse_special", true}}));
}

TEST_F(ServerMessages, TokensAreRead) {
    std::vector<token_id> tokens;
    ASSERT_EQ(decode_tokens({200, R"({"tokens":[1,15043,2]})"}, tokens, diag_), error_code());
    EXPECT_THAT(tokens, ElementsAre(1, 15043, 2));
    ASSERT_EQ(decode_tokens({200, R"({"tokens":[]})"}, tokens, diag_), error_code());
    EXPECT_THAT(tokens, testing::IsEmpty());
}

TEST_F(ServerMessages, TokensOfAnotherShapeAreRefused) {
    std::vector<token_id> tokens{7};
    for (const std::string_view body : {"{}", R"({"tokens":1})", R"({"tokens":["1"]})",
                                        R"({"tokens":[-1]})", R"({"tokens":[2147483648]})"})
        EXPECT_EQ(decode_tokens({200, body}, tokens, diag_), errc::bad_response) << body;
    EXPECT_THAT(tokens, ElementsAre(7));
}

// /apply-template

TEST_F(ServerMessages, ApplyTemplateSendsTheMessagesInOrder) {
    const std::vector<chat_message> messages{{"system", "Be \"brief\"."}, {"user", "Hi"}};
    const auto body = json::parse(apply_template_body(messages));
    EXPECT_EQ(body["messages"].size(), 2u);
    EXPECT_EQ(body["messages"][0]["content"], "Be \"brief\".");
    EXPECT_EQ(body["messages"][1]["role"], "user");
    EXPECT_EQ(apply_template_body({}, R"([{"z": 1, "a": 2}])"),
              R"({"messages":[],"tools":[{"z":1,"a":2}]})");
    EXPECT_EQ(apply_template_body({}), R"({"messages":[]})");
    EXPECT_EQ(apply_template_body({}, {}, R"({"reasoning_effort": "low"})"),
              R"({"messages":[],"reasoning_effort":"low"})");
}

TEST_F(ServerMessages, ApplyTemplateTurnsThinkingOffForAnEffortOfNone) {
    const auto values = [](const char* options) {
        return json::parse(apply_template_body({}, {}, options))
            .value("chat_template_kwargs", json());
    };
    EXPECT_EQ(values(R"({"reasoning_effort":"none"})"), json({{"enable_thinking", false}}));
    EXPECT_EQ(values(R"({"reasoning_effort":"none","chat_template_kwargs":{"a":1}})"),
              json({{"a", 1}, {"enable_thinking", false}}));
    const json on{{"enable_thinking", true}};
    EXPECT_EQ(
        values(R"({"reasoning_effort":"none","chat_template_kwargs":{"enable_thinking":true}})"),
        on);
    EXPECT_EQ(values(R"({"reasoning_effort":"low"})"), json());
}

TEST_F(ServerMessages, ApplyTemplateSendsToolCallsAndTheirResultsAsOpenAiDoes) {
    const std::vector<chat_message> messages{
        {.role = "assistant",
         .tool_calls = {{.id = "c1", .name = "rain", .arguments = R"({"in":"Bonn"})"},
                        {.name = "now", .arguments = "{}"}}},
        {.role = "tool", .content = "No.", .tool_call_id = "c1", .name = "rain"}};
    EXPECT_EQ(json::parse(apply_template_body(messages)), json::parse(R"({"messages":[
        {"role":"assistant","content":"","tool_calls":[
            {"id":"c1","type":"function","function":{"name":"rain","arguments":"{\"in\":\"Bonn\"}"}},
            {"type":"function","function":{"name":"now","arguments":"{}"}}]},
        {"role":"tool","content":"No.","tool_call_id":"c1","name":"rain"}]})"));
}

TEST_F(ServerMessages, ApplyTemplateLeavesTheWhiteSpaceBeforeACallToTheTemplate) {
    for (const auto& [said, sent] : {std::pair{"One moment. \n", "One moment."}, {"\n", ""}}) {
        const std::vector<chat_message> messages{
            {.role = "assistant", .content = said, .tool_calls = {{.name = "now"}}},
            {.role = "assistant", .content = said}};
        const auto body = json::parse(apply_template_body(messages));
        EXPECT_EQ(body["messages"][0]["content"], sent);
        EXPECT_EQ(body["messages"][1]["content"], said) << "without a call";
    }
}

TEST_F(ServerMessages, ApplyTemplateLeavesOutWhatAMessageHasNot) {
    EXPECT_EQ(apply_template_body(std::vector<chat_message>{{"user", "Hi"}}),
              R"({"messages":[{"content":"Hi","role":"user"}]})");
}

TEST_F(ServerMessages, ThePromptOfATemplateIsRead) {
    std::string prompt;
    ASSERT_EQ(decode_rendered_prompt({200, R"({"prompt":"<s>user"})"}, prompt, diag_),
              error_code());
    EXPECT_EQ(prompt, "<s>user");
    EXPECT_EQ(decode_rendered_prompt({200, R"({"prompt":1})"}, prompt, diag_), errc::bad_response);
}

// Erasure of a slot.

TEST_F(ServerMessages, ASlotIsErasedByItsNumber) {
    EXPECT_EQ(slot_erase_path(3), "/slots/3?action=erase");
    int erased = 0;
    ASSERT_EQ(decode_slot_erased({200, R"({"id_slot":3,"n_erased":120})"}, erased, diag_),
              error_code());
    EXPECT_EQ(erased, 120);
    EXPECT_EQ(decode_slot_erased({200, "{}"}, erased, diag_), errc::bad_response);
}

// The file of a slot.

TEST_F(ServerMessages, ASlotIsSavedAndRestoredByItsNumberAndAFile) {
    EXPECT_EQ(slot_save_path(3), "/slots/3?action=save");
    EXPECT_EQ(slot_restore_path(0), "/slots/0?action=restore");
    EXPECT_EQ(slot_file_body("a-1.bin"), R"({"filename":"a-1.bin"})");
}

TEST_F(ServerMessages, ASavedSlotIsReadWithSizeAndTime) {
    slot_file_result r;
    ASSERT_EQ(decode_slot_saved({200, R"({"id_slot":0,"filename":"a.bin","n_saved":1025,)"
                                      R"("n_written":5368709120,"timings":{"save_ms":2.203}})"},
                                r, diag_),
              error_code());
    EXPECT_EQ(r.tokens, 1025);
    EXPECT_EQ(r.bytes, 5'368'709'120);
    EXPECT_DOUBLE_EQ(r.ms, 2.203);
}

TEST_F(ServerMessages, ARestoredSlotIsReadWithSizeAndTime) {
    slot_file_result r;
    ASSERT_EQ(decode_slot_restored({200, R"({"id_slot":1,"filename":"a.bin","n_restored":35,)"
                                         R"("n_read":54448,"timings":{"restore_ms":3}})"},
                                   r, diag_),
              error_code());
    EXPECT_EQ(r.tokens, 35);
    EXPECT_EQ(r.bytes, 54448);
    EXPECT_DOUBLE_EQ(r.ms, 3);
}

TEST_F(ServerMessages, ASlotsFileNeedsNothingButItsTokens) {
    for (const std::string_view rest :
         {"", R"(,"n_written":-1,"timings":{"save_ms":-1})", R"(,"n_written":"1","timings":7)",
          R"(,"n_written":1.5,"timings":{"save_ms":null})",
          R"(,"n_written":9223372036854775808)"}) {
        slot_file_result r{.tokens = 1, .bytes = 1, .ms = 1};
        const auto body = R"({"n_saved":0)" + std::string(rest) + "}";
        EXPECT_EQ(decode_slot_saved({200, body}, r, diag_), error_code()) << body;
        EXPECT_EQ(r.tokens, 0);
        EXPECT_EQ(r.bytes, 0) << body;
        EXPECT_EQ(r.ms, 0) << body;
    }
}

TEST_F(ServerMessages, ASlotsFileWithoutTokensIsRefused) {
    slot_file_result r{.tokens = 7};
    for (const std::string_view body : {"", "[]", "{}", R"({"n_saved":-1})", R"({"n_saved":1.5})",
                                        R"({"n_restored":3})", R"({"n_saved":2147483648})"})
        EXPECT_EQ(decode_slot_saved({200, body}, r, diag_), errc::bad_response) << body;
    EXPECT_EQ(decode_slot_restored({200, R"({"n_saved":3})"}, r, diag_), errc::bad_response);
    EXPECT_EQ(r.tokens, 7);
}

TEST_F(ServerMessages, ASlotsFileThatCannotBeIsToldApart) {
    slot_file_result r;
    EXPECT_EQ(decode_slot_restored({400, R"({"error":{"code":400,"message":"Unable to restore"}})"},
                                   r, diag_),
              errc::bad_request);
    EXPECT_EQ(diag_.server_message, "Unable to restore");
    EXPECT_EQ(decode_slot_saved({500, R"({"error":{"code":500,"message":"Unable to save slot"}})"},
                                r, diag_),
              errc::server_error);
    EXPECT_EQ(decode_slot_saved({501, R"({"error":{"code":501,"message":"no"}})"}, r, diag_),
              errc::not_supported);
}

// All answers.

TEST_F(ServerMessages, BytesThatAreNotUtf8AreReplaced) {
    std::string text;
    ASSERT_EQ(decode_rendered_prompt({200, "{\"prompt\":\"a\xFF\"}"}, text, diag_), error_code());
    EXPECT_EQ(text, "a\xEF\xBF\xBD");
}

TEST_F(ServerMessages, AnAnswerThatIsNestedTooDeepDoesNoHarm) {
    std::string text;
    const auto deep =
        R"({"prompt":"a","x":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
    EXPECT_EQ(decode_rendered_prompt({200, deep}, text, diag_), error_code());
}

// A parser that scans the whole list for each object would take minutes here.
TEST_F(ServerMessages, AListOfManyObjectsIsReadOnce) {
    std::string list;
    for (int i = 0; i < 100'000; ++i) list += "{},";
    for (const auto& last : {std::string("{}"), std::string(70, '[') + std::string(70, ']')}) {
        std::string text;
        const auto body = R"({"prompt":"a","x":[)" + list + last + "]}";
        EXPECT_EQ(decode_rendered_prompt({200, body}, text, diag_), error_code());
        EXPECT_EQ(text, "a");
    }
}

TEST_F(ServerMessages, AnAnswerOfTooManyValuesIsRefused) {
    std::string list(2 * max_answer_values, '1');
    for (std::size_t i = 1; i < list.size(); i += 2) list[i] = ',';
    std::vector<token_id> ids;
    EXPECT_EQ(decode_tokens({200, "{\"tokens\":[" + list + "1]}"}, ids, diag_), errc::bad_response);
    EXPECT_NE(diag_.client_message.find("it has more than 2000000 values"), std::string::npos);
}

// /lora-adapters

TEST_F(ServerMessages, AdaptersAreRead) {
    std::vector<server_adapter> list;
    ASSERT_EQ(decode_adapters({200, R"([{"id":0,"path":"a.gguf","scale":1.0,"task_name":"",
                                       "prompt_prefix":""},{"id":1}])"},
                              list, diag_),
              error_code());
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0].path, "a.gguf");
    EXPECT_EQ(list[0].scale, 1.0);
    EXPECT_EQ(list[1].id, 1);
    EXPECT_EQ(list[1].scale, 0.0);
}

TEST_F(ServerMessages, TheScaleOfAnAdapterMayBeBelowZero) {
    std::vector<server_adapter> list;
    ASSERT_EQ(decode_adapters({200, R"([{"id":0,"scale":-0.5}])"}, list, diag_), error_code());
    EXPECT_EQ(list.at(0).scale, -0.5);
}

TEST_F(ServerMessages, AdaptersThatAreNoneAreNotUnderstood) {
    std::vector<server_adapter> list;
    EXPECT_EQ(decode_adapters({200, "{}"}, list, diag_), errc::bad_response);
    EXPECT_EQ(decode_adapters({200, R"([{"path":"a"}])"}, list, diag_), errc::bad_response);
}

TEST_F(ServerMessages, AdaptersAreSetOrNot) {
    const std::vector<adapter_scale> two{{0, 0.5}, {3, 1.0}};
    EXPECT_EQ(json::parse(encode_adapter_list(two)),
              json::parse(R"([{"id":0,"scale":0.5},{"id":3,"scale":1.0}])"));
    EXPECT_EQ(decode_set_adapters_answer({200, R"({"success":true})"}, diag_), error_code());
    EXPECT_EQ(decode_set_adapters_answer({200, "[]"}, diag_), errc::bad_response);
}

}  // namespace
}  // namespace tandem::wire
