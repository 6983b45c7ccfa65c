#include "gateway/voice/voice_message_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

TEST(voice_ready, reports_the_session_and_its_limits) {
    const auto ready = json::parse(encode_ready({.session = "s-1",
                                                 .model = "talk",
                                                 .resumed = true,
                                                 .turns = {"t1"},
                                                 .limits = {.message_bytes = 1000},
                                                 .resume_grace = 65s,
                                                 .continue_timeout = 30s}));
    EXPECT_EQ(ready, json::parse(R"({"type":"ready","protocol":"tandem.voice.v1","session":"s-1",
        "model":"talk","resumed":true,"turns":["t1"],
        "limits":{"message_bytes":1000,"message_burst":100.0,"messages_per_second":25.0,
        "silence_ms":30000.0,"session_kept_ms":60000.0,"call_timeout_ms":60000.0,
        "resume_grace_ms":65000.0,"continue_timeout_ms":30000.0}})"));
    EXPECT_FALSE(json::parse(encode_ready({})).contains("model"));
    EXPECT_FALSE(json::parse(encode_ready({})).contains("turns"));
}

TEST(voice_chunk, is_named_by_its_session_and_not_by_the_library) {
    const auto c = json::parse(encode_chunk(3, {},
                                            {.id = {987654321987654321u, 2},
                                             .text = "*Hello!* ",
                                             .speech = "Hello!",
                                             .boundary = boundary::sentence,
                                             .tokens = 4,
                                             .metrics = {.server = "http://10.0.0.1:8080",
                                                         .slot = 1,
                                                         .slot_reused = true,
                                                         .cached = 40,
                                                         .evaluated = 2,
                                                         .guard_wait_ms = 1.5,
                                                         .gap_ms = 120}}));
    EXPECT_EQ(c, json::parse(R"({"type":"chunk","id":"3-2","reply":"3","seq":2,"text":"*Hello!* ",
        "speech":"Hello!","boundary":"sentence","tokens":4,"gap_ms":120.0,"slot":1,
        "slot_reused":true,"cached":40,"evaluated":2,"guard_wait_ms":1.5})"))
        << "clients do not see the servers' addresses";
}

TEST(voice_chunk, names_its_language_and_the_marks_that_are_reported) {
    const auto c = json::parse(encode_chunk(1, {},
                                            {.speech = "No",
                                             .marks = {{0, "laughs", ""}, {2, "emotion", "sad"}},
                                             .language = "de-AT"}));
    EXPECT_EQ(c["language"], "de-AT");
    EXPECT_EQ(c["marks"], json::parse(R"([{"at":0,"tag":"laughs"},
                                          {"at":2,"tag":"emotion","label":"sad"}])"));
}

json call_with(const std::string& arguments) {
    const tool_call call{.id = "c1", .name = "clock", .arguments = arguments};
    return json::parse(encode_call({.reply = 2, .call = call}));
}

TEST(voice_call, names_the_function_and_the_chunk_before_it) {
    const tool_call call{.id = "c1", .name = "clock", .arguments = R"({"zone":"Europe/Vienna"})"};
    EXPECT_EQ(json::parse(encode_call({.reply = 2, .turn = "t", .call = call, .after = 0})),
              json::parse(R"({"type":"call","reply":"2","turn":"t","id":"c1","name":"clock",
                              "arguments":{"zone":"Europe/Vienna"},"after":"2-0"})"));
    EXPECT_EQ(json::parse(encode_call({.reply = 2, .call = call})),
              json::parse(R"({"type":"call","reply":"2","id":"c1","name":"clock",
                              "arguments":{"zone":"Europe/Vienna"}})"));
}

TEST(voice_call, has_arguments_that_are_no_object_as_text) {
    const std::string deep(1000, '[');
    const std::string hostile[] = {
        "",     "[]",    "7",
        "null", "{oops", R"({"a":1e999})",
        deep,   "\xff",  R"({"a":)" + deep + std::string(1000, ']') + "}"};
    for (const auto& arguments : hostile)
        EXPECT_TRUE(call_with(arguments)["arguments"].is_string()) << arguments;
    EXPECT_EQ(call_with("{oops")["arguments"], "{oops");
    EXPECT_EQ(call_with("{}")["arguments"], json::object());
}

TEST(voice_call_dropped, reports_why) {
    voice_dropped_call dropped{
        .reply = 2, .turn = "t", .call = "c1", .why = call_drop_reason::timeout, .timeout = 60s};
    EXPECT_EQ(json::parse(encode_call_dropped(dropped)), json::parse(R"({"type":"call_dropped",
                  "reply":"2","turn":"t","call":"c1","reason":"timeout",
                  "message":"no result for the call \"c1\" came within 60000 ms (call_timeout_ms); answer every call, with \"later\":true first if the function takes longer"})"));
    dropped.why = call_drop_reason::interrupted;
    EXPECT_EQ(json::parse(encode_call_dropped(dropped))["reason"], "interrupted");
}

TEST(voice_end, reports_what_was_sent_and_what_it_cost) {
    reply_result r{.finish_reason = finish_reason::eos, .text = "One. Two."};
    r.usage = {.prompt = 9,
               .cached = 12,
               .evaluated = 8,
               .generated = 4,
               .handed_over = 3,
               .heard = 3,
               .wasted = 1};
    r.metrics.chunks = 2;
    r.metrics.first_chunk_ms = 80;
    const voice_timing silence{.detector = 500ms, .first_chunk = 400ms};
    const auto end =
        json::parse(encode_end({.reply = 2, .result = r, .sent_bytes = 5, .silence = silence}));
    EXPECT_EQ(end["type"], "end");
    EXPECT_EQ(end["reply"], "2");
    EXPECT_EQ(end["finish_reason"], "eos");
    EXPECT_EQ(end["text"], "One. ");
    EXPECT_EQ(end["usage"]["wasted"], 1);
    EXPECT_EQ(end["usage"]["prompt"], 20) << "the sum over all requests, like the cached tokens";
    EXPECT_EQ(end["metrics"]["chunks"], 2);
    EXPECT_EQ(end["metrics"]["first_chunk_ms"], 80);
    EXPECT_EQ(end["metrics"]["voice_to_voice_ms"],
              json::parse(R"({"total": 900, "detector": 500, "before_start": 0, "turn_wait": 0,
                              "slot_wait": 0, "first_token": 0, "first_chunk": 400})"));
    EXPECT_FALSE(end.contains("timeline"));
    EXPECT_FALSE(end.contains("code"));
}

TEST(voice_end, tells_times_to_the_microsecond) {
    reply_result r{.finish_reason = finish_reason::eos};
    r.metrics.total_ms = 2029.1234567;
    r.metrics.guard_wait_ms = 0.1 + 0.2;
    r.timeline = {{.what = timeline_event::kind::end, .at_ns = 1'234'567}};
    const voice_timing silence{.detector = 1111us + 111ns, .first_chunk = 2222us + 555ns};
    const auto text = encode_end({.reply = 1, .result = r, .silence = silence, .timeline = true});
    for (const auto* part :
         {R"("total_ms":2029.123,)", R"("guard_wait_ms":0.3,)", R"("at_ms":1.235)",
          R"("total":3.334,"detector":1.111,)", R"("first_chunk":2.223)"})
        EXPECT_THAT(text, ::testing::HasSubstr(part));
    EXPECT_THAT(encode_chunk(1, "", {.metrics = {.gap_ms = 12.34567}}),
                ::testing::HasSubstr(R"("gap_ms":12.346,)"));
}

TEST(voice_end, leaves_out_what_did_not_happen) {
    const reply_result r{.finish_reason = finish_reason::interrupted};
    const auto metrics = json::parse(encode_end({.reply = 1, .result = r}))["metrics"];
    for (const auto* name : {"first_chunk_ms", "cancel_to_idle_ms", "voice_to_voice_ms"})
        EXPECT_FALSE(metrics.contains(name)) << name;
}

TEST(voice_end, has_the_time_line_if_it_is_wanted) {
    reply_result r{.finish_reason = finish_reason::eos};
    r.timeline = {{.what = timeline_event::kind::request, .at_ns = 1'500'000, .slot = 1},
                  {.what = timeline_event::kind::end, .at_ns = 2'000'000}};
    const auto end = json::parse(encode_end({.reply = 1, .result = r, .timeline = true}));
    EXPECT_EQ(end["timeline"], json::parse(R"([{"what":"request","at_ms":1.5,"slot":1},
                                               {"what":"end","at_ms":2.0}])"));
}

TEST(voice_end, of_a_reply_that_failed_is_an_error_that_names_it) {
    reply_result r{.finish_reason = finish_reason::error, .text = "One."};
    r.error = errc::queue_full;
    r.diagnostics.client_message = "64 replies wait";
    r.diagnostics.server_message = "secret";
    const auto text = encode_end({.reply = 5, .result = r, .sent_bytes = 4});
    const auto e = json::parse(text);
    EXPECT_EQ(e["type"], "error");
    EXPECT_EQ(e["reply"], "5");
    EXPECT_EQ(e["code"], "queue_full");
    EXPECT_EQ(e["message"], "64 replies wait");
    EXPECT_EQ(e["retryable"], true);
    EXPECT_EQ(e["retry_after_ms"], 1000);
    EXPECT_EQ(e["text"], "One.");
    EXPECT_FALSE(e.contains("finish_reason"));
    EXPECT_EQ(text.find("secret"), std::string::npos);
}

TEST(voice_end, of_a_reply_with_nothing_to_resume_has_no_text) {
    const reply_result r{.finish_reason = finish_reason::error, .error = errc::nothing_to_resume};
    const auto e = json::parse(encode_end({.reply = 4, .turn = "t-4", .result = r}));
    EXPECT_EQ(e["code"], "nothing_to_resume");
    EXPECT_EQ(e["reply"], "4");
    EXPECT_EQ(e["turn"], "t-4");
    EXPECT_EQ(e["retryable"], false);
    for (const auto* field : {"text", "usage", "metrics"}) EXPECT_FALSE(e.contains(field)) << field;
}

TEST(voice_error, reports_what_is_wrong_and_whether_to_try_again) {
    const auto e = json::parse(encode_error({.why = {.status = 400,
                                                     .code = "invalid_value",
                                                     .message = "chunk is missing",
                                                     .param = "chunk"}}));
    EXPECT_EQ(e, json::parse(R"({"type":"error","code":"invalid_value","message":"chunk is missing",
        "retryable":false,"param":"chunk"})"));
    const auto fatal = json::parse(
        encode_error({.why = {.status = 429, .code = "too_many_messages"}, .fatal = true}));
    EXPECT_EQ(fatal["fatal"], true);
    EXPECT_EQ(fatal["retryable"], true);
    EXPECT_EQ(json::parse(encode_error({.why = {.status = 503}, .reply = 4}))["reply"], "4");
}

TEST(voice_answer, replaces_bytes_that_are_no_text) {
    EXPECT_TRUE(json::accept(encode_chunk(1, {}, {.text = "\xff", .speech = "\xc3"})));
    EXPECT_TRUE(json::accept(encode_error({.why = {.message = "type is \"\xe2\x82"}})));
    EXPECT_TRUE(json::accept(encode_ready({.model = "\xf0"})));
}

TEST(voice_end, reports_a_missing_continue_in_the_words_of_the_protocol) {
    const reply_result r{.finish_reason = finish_reason::error, .error = errc::continue_timeout};
    const std::string message = json::parse(encode_end({.reply = 1, .result = r}))["message"];
    EXPECT_NE(message.find("continue_timeout_ms"), std::string::npos) << message;
    EXPECT_EQ(message.find("()"), std::string::npos) << message;
}

}  // namespace
}  // namespace tandem::gateway
