// The JSON of OTLP, and the answers of collectors.
#include "gateway/traces/otlp_json.hpp"

#include "gateway/traces/otlp_headers.hpp"
#include "gateway/traces/span_context.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::gateway {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(otlp_json, encodes_a_span) {
    const span s{.trace = std::string(32, 'a'),
                 .id = std::string(16, 'b'),
                 .parent = std::string(16, 'c'),
                 .name = "chat talk",
                 .what = span::kind::client,
                 .began_unix_ns = 1'700'000'000'000'000'001,
                 .ended_unix_ns = 1'700'000'000'000'000'002,
                 .attributes = {{"text", "a\xff"},
                                {"count", std::int64_t{7}},
                                {"share", 0.5},
                                {"yes", true},
                                {"list", std::vector<std::string>{"x"}}},
                 .events = {{.name = "chunk", .unix_ns = 5, .attributes = {}}},
                 .dropped_events = 2,
                 .error = "server_lost"};
    EXPECT_EQ(json::parse(encode_span(s)), json::parse(R"({
        "traceId": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "spanId": "bbbbbbbbbbbbbbbb",
        "parentSpanId": "cccccccccccccccc",
        "name": "chat talk",
        "kind": 3,
        "startTimeUnixNano": "1700000000000000001",
        "endTimeUnixNano": "1700000000000000002",
        "attributes": [
            {"key": "text", "value": {"stringValue": "a\ufffd"}},
            {"key": "count", "value": {"intValue": "7"}},
            {"key": "share", "value": {"doubleValue": 0.5}},
            {"key": "yes", "value": {"boolValue": true}},
            {"key": "list", "value": {"arrayValue": {"values": [{"stringValue": "x"}]}}},
            {"key": "error.type", "value": {"stringValue": "server_lost"}}],
        "events": [{"name": "chunk", "timeUnixNano": "5", "attributes": []}],
        "droppedEventsCount": 2,
        "status": {"code": 2, "message": "server_lost"}})"));
}

TEST(otlp_json, names_the_service_in_a_request) {
    const auto root = json::parse(encode_export(R"({"name":"a"},{"name":"b"})"));
    const auto& resource = root["resourceSpans"][0];
    EXPECT_EQ(resource["resource"]["attributes"][0]["value"]["stringValue"], "tandem");
    EXPECT_EQ(resource["scopeSpans"][0]["spans"].size(), 2u);
}

TEST(export_answer, may_be_asked_for_again_only_as_otlp_says) {
    for (const int status : {0, 429, 502, 503, 504})
        EXPECT_TRUE(export_answer{.status = status}.is_retryable()) << status;
    for (const int status : {200, 400, 401, 404, 413, 500, 501})
        EXPECT_FALSE(export_answer{.status = status}.is_retryable()) << status;
}

TEST(export_answer, may_reject_some_spans) {
    const auto rejection = [](std::string body) {
        return find_rejection({.status = 200, .body = std::move(body)});
    };
    EXPECT_EQ(rejection(R"({"partialSuccess":{"rejectedSpans":"3","errorMessage":"too\nold"}})"),
              "the collector rejected 3 spans: too old");
    EXPECT_EQ(rejection(R"({"partialSuccess":{"rejectedSpans":3}})"),
              "the collector rejected 3 spans: ");
    for (const char* body : {"", "{}", "[]", "<html>", R"({"partialSuccess":{}})",
                             R"({"partialSuccess":{"rejectedSpans":"0"}})"})
        EXPECT_EQ(rejection(body), "") << body;
}

TEST(otlp_headers, are_pairs_with_encoded_values) {
    EXPECT_THAT(parse_otlp_headers("api-key = a%20b=c , x=%zz,"),
                ::testing::Optional(ElementsAre(Pair("api-key", "a b=c"), Pair("x", "%zz"))));
    EXPECT_THAT(parse_otlp_headers(""), ::testing::Optional(::testing::IsEmpty()));
}

TEST(otlp_headers, are_refused_if_no_header_can_be_so) {
    for (const char* text : {"key", "=value", "a b=c", "key=%0aother: x", "key=\xc3\xa4"})
        EXPECT_FALSE(parse_otlp_headers(text)) << text;
}

std::uint64_t seven() {
    return 7;
}

TEST(span_context, continues_the_trace_of_the_caller) {
    const auto c =
        make_span_context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", seven);
    EXPECT_EQ(c.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
    EXPECT_EQ(c.parent, "00f067aa0ba902b7");
    EXPECT_TRUE(c.is_sampled);
    EXPECT_EQ(to_traceparent(c), "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000007-01");
}

TEST(span_context, begins_a_trace_without_a_caller) {
    const auto c = make_span_context("", seven);
    EXPECT_EQ(c.trace, "00000000000000070000000000000007");
    EXPECT_EQ(c.parent, "");
    EXPECT_TRUE(c.is_sampled);
}

TEST(span_context, leaves_it_to_the_caller_what_is_recorded) {
    EXPECT_FALSE(make_span_context("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", seven)
                     .is_sampled);
}

TEST(span_context, has_an_id_that_is_not_zero) {
    std::uint64_t next = 0;
    EXPECT_EQ(make_span_id([&] { return next++; }), "0000000000000001");
}

}  // namespace
}  // namespace tandem::gateway
