#include "gateway/telemetry/audit_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>

namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using nlohmann::json;
using tandem::gateway::audit_record;
using tandem::gateway::format_audit_line;
using tandem::gateway::max_audit_field_bytes;
using tandem::gateway::max_audit_prompt_bytes;

std::chrono::system_clock::time_point after_1970(std::chrono::milliseconds t) {
    return std::chrono::system_clock::time_point(t);
}

std::string time_in(std::chrono::milliseconds since_1970) {
    return json::parse(format_audit_line({.time = after_1970(since_1970)}))["time"];
}

TEST(audit_line, reports_who_did_what_in_one_order) {
    const audit_record r{.time = after_1970(1'764'547'200'042ms),
                         .request_id = "req-1",
                         .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                         .remote = "10.0.0.1",
                         .key = "front desk",
                         .method = "POST",
                         .route = "/v1/chat/completions",
                         .model = "talk",
                         .reply = 12,
                         .voice_reply = 3,
                         .status = 200,
                         .tokens_in = 41,
                         .tokens_out = 64,
                         .elapsed = 93'250'400ns,
                         .finish_reason = "error",
                         .error = "server_gone"};
    EXPECT_EQ(format_audit_line(r),
              R"({"time":"2025-12-01T00:00:00.042Z","request_id":"req-1",)"
              R"("trace_id":"4bf92f3577b34da6a3ce929d0e0e4736","remote":"10.0.0.1",)"
              R"("key":"front desk","method":"POST","route":"/v1/chat/completions",)"
              R"("model":"talk","reply":12,"voice_reply":3,"status":200,"tokens_in":41,)"
              R"("tokens_out":64,"ms":93.25,)"
              R"("finish_reason":"error","error":"server_gone"})");
}

TEST(audit_line, has_null_for_what_is_not_known) {
    const auto line = json::parse(format_audit_line({.status = 401}));
    for (const auto* const name :
         {"request_id", "trace_id", "remote", "key", "method", "route", "model", "reply",
          "voice_reply", "tokens_in", "tokens_out", "finish_reason", "error"})
        EXPECT_TRUE(line.contains(name) && line[name].is_null()) << name;
    EXPECT_EQ(line["status"], 401);
    EXPECT_EQ(line["ms"], 0.0);
}

TEST(audit_line, has_the_prompt_only_if_it_was_asked_for) {
    EXPECT_FALSE(json::parse(format_audit_line({})).contains("prompt"));
    EXPECT_EQ(json::parse(format_audit_line({.prompt = "Hello"}))["prompt"], "Hello");
    EXPECT_EQ(json::parse(format_audit_line({.prompt = ""}))["prompt"], "");
}

TEST(audit_line, reports_the_time_in_utc_to_the_millisecond) {
    EXPECT_EQ(time_in(0ms), "1970-01-01T00:00:00.000Z");
    EXPECT_EQ(time_in(951'782'399'999ms), "2000-02-28T23:59:59.999Z");
    EXPECT_EQ(time_in(951'782'400'000ms), "2000-02-29T00:00:00.000Z");
    EXPECT_EQ(time_in(-1ms), "1969-12-31T23:59:59.999Z");
    EXPECT_EQ(time_in(4'102'444'800'000ms), "2100-01-01T00:00:00.000Z");
}

TEST(audit_line, is_one_line_of_ascii_whatever_a_client_sent) {
    for (const auto& text : {"a\nb\r\n"s, "\0x"s, "\x1B[31m"s, "\"}\n{\"status\":200"s, "\\"s,
                             "\x7F"s, "\xE2\x80\xA8\xE2\x80\xAE\xC2\x85"s, "Ärger 🙂"s}) {
        const auto line = format_audit_line({.request_id = text, .model = text, .prompt = text});
        EXPECT_TRUE(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; }))
            << line;
        for (const auto* const name : {"request_id", "model", "prompt"})
            EXPECT_EQ(json::parse(line)[name], text) << name;
    }
}

TEST(audit_line, replaces_bytes_that_are_no_text) {
    EXPECT_EQ(json::parse(format_audit_line({.model = "a\xFF"
                                                      "b"}))["model"],
              "a\xEF\xBF\xBD"
              "b");
}

TEST(audit_line, is_bounded) {
    const std::string huge(1 << 20, 'x');
    const auto line = json::parse(format_audit_line({.request_id = huge,
                                                     .remote = huge,
                                                     .key = huge,
                                                     .method = huge,
                                                     .route = huge,
                                                     .model = huge,
                                                     .finish_reason = huge,
                                                     .error = huge,
                                                     .prompt = huge}));
    for (const auto* const name :
         {"request_id", "remote", "key", "method", "route", "model", "finish_reason", "error"})
        EXPECT_EQ(line[name], huge.substr(0, max_audit_field_bytes) + "…") << name;
    EXPECT_EQ(line["prompt"], huge.substr(0, max_audit_prompt_bytes) + "…");
}

TEST(audit_line, cuts_between_characters) {
    std::string text;
    while (text.size() <= max_audit_field_bytes) text += "€";
    EXPECT_EQ(json::parse(format_audit_line({.model = text}))["model"],
              text.substr(0, max_audit_field_bytes / 3 * 3) + "…");
}

TEST(audit_line, takes_any_numbers) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    const auto line = json::parse(format_audit_line(
        {.status = -1, .tokens_in = most, .elapsed = std::chrono::nanoseconds::max()}));
    EXPECT_EQ(line["tokens_in"], most);
    EXPECT_GT(line["ms"], 1e9);
}

// --- log lines

TEST(log_line, reports_what_became_of_a_request_and_its_ids) {
    EXPECT_EQ(
        tandem::gateway::format_log_line({.request_id = "req-1",
                                          .trace_id = "4bf92f3577b34da6a3ce929d0e0e4736",
                                          .method = "POST",
                                          .route = "/v1/completions",
                                          .reply = 12,
                                          .voice_reply = 3,
                                          .status = 200,
                                          .elapsed = 93'250'400ns,
                                          .finish_reason = "error",
                                          .error = "server_gone"}),
        "request req-1: POST /v1/completions: 200 after 93.2 ms, reply 12, voice reply 3, error, "
        "server_gone, "
        "trace 4bf92f3577b34da6a3ce929d0e0e4736");
}

TEST(log_line, reports_what_is_not_known_as_such) {
    EXPECT_EQ(tandem::gateway::format_log_line({.request_id = "req-2", .method = "GET"}),
              "request req-2: GET elsewhere: nothing after 0.0 ms");
}

}  // namespace
