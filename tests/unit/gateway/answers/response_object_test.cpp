#include "gateway/answers/response_object.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using tandem::finish_reason;
using tandem::tool_call;
using tandem::gateway::encode_response;
using tandem::gateway::response_head;
using tandem::gateway::response_stream;
using testing::ElementsAre;

response_head head() {
    return {.id = "resp_1", .created = 7, .model = "talk", .repeated = R"({"tools":[]})"};
}

/// The events in order. The test fails if the name of an event differs from its type.
std::vector<json> events_of(const std::string& stream) {
    std::vector<json> events;
    std::istringstream lines(stream);
    std::string name;
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("event: ")) name = line.substr(7);
        if (line.starts_with("data: ")) events.push_back(json::parse(line.substr(6)));
        if (line.starts_with("data: ")) {
            EXPECT_EQ(events.back()["type"], name);
        }
    }
    return events;
}

TEST(response_events, have_reasoning_text_and_calls_as_items_one_after_the_other) {
    response_stream s(head());
    std::string out;
    s.write_reasoning_piece("Hm.", out);
    s.write_text_piece("One", out);
    s.write_text_piece(" moment.", out);
    s.write_call({.id = "c1", .name = "f", .arguments = "{}"}, out);
    s.end(finish_reason::tool_calls, {.prompt_tokens = 5, .completion_tokens = 3}, out);
    std::vector<std::string> items;
    for (const auto& e : events_of(out))
        if (e["type"] == "response.output_item.added" || e["type"] == "response.output_item.done")
            items.push_back(e["item"]["id"].get<std::string>() + " " +
                            e["item"]["status"].get<std::string>());
    EXPECT_THAT(items, ElementsAre("rs_1_0 in_progress", "rs_1_0 completed", "msg_1_1 in_progress",
                                   "msg_1_1 completed", "fc_1_2 in_progress", "fc_1_2 completed"));
    const auto response = events_of(out).back()["response"];
    EXPECT_EQ(response["output"][0]["content"][0]["text"], "Hm.");
    EXPECT_EQ(response["output"][1]["content"][0]["text"], "One moment.");
    EXPECT_EQ(response["output"][2]["call_id"], "c1");
    EXPECT_EQ(response["usage"]["total_tokens"], 8);
}

TEST(response_events, are_those_of_the_whole_response) {
    for (const auto reason : {finish_reason::eos, finish_reason::length}) {
        response_stream s(head());
        std::string out;
        s.write_reasoning_piece("Hm.", out);
        s.write_text_piece("Hi.", out);
        s.end(reason, {.prompt_tokens = 2, .completion_tokens = 1}, out);
        EXPECT_EQ(
            events_of(out).back()["response"],
            json::parse(encode_response(
                head(), {.text = "Hi.", .reasoning = "Hm.", .reason = reason, .usage = {2, 1}})));
    }
}

TEST(response_events, report_that_the_limit_of_tokens_left_the_last_item_incomplete) {
    response_stream s(head());
    std::string out;
    s.write_reasoning_piece("Hm.", out);
    s.write_text_piece("Hi, the", out);
    s.end(finish_reason::length, {}, out);
    const auto response = events_of(out).back()["response"];
    EXPECT_EQ(response["status"], "incomplete");
    EXPECT_EQ(response["output"][0]["status"], "completed");
    EXPECT_EQ(response["output"][1]["status"], "incomplete");
}

std::vector<std::string> types_of_calls(const std::string& stream) {
    std::vector<std::string> types;
    for (const auto& e : events_of(stream))
        if (e["type"].get<std::string>().find("function_call") != std::string::npos)
            types.push_back(e["type"].get<std::string>() + " " + e.value("delta", ""));
    return types;
}

TEST(response_events, have_a_call_piece_by_piece) {
    response_stream s(head());
    std::string out;
    s.write_call_piece({.id = "c1", .name = "f"}, out);
    s.write_call_piece({.arguments = "{\"a\":"}, out);
    s.write_call_piece({.arguments = "1}"}, out);
    s.end_call(out);
    s.end(finish_reason::tool_calls, {}, out);
    EXPECT_THAT(types_of_calls(out), ElementsAre("response.function_call_arguments.delta {\"a\":",
                                                 "response.function_call_arguments.delta 1}",
                                                 "response.function_call_arguments.done "));
    const auto item = events_of(out).back()["response"]["output"][0];
    EXPECT_EQ(item["call_id"], "c1");
    EXPECT_EQ(item["arguments"], "{\"a\":1}");
    EXPECT_EQ(item["status"], "completed");
}

TEST(response_events, have_no_end_of_a_call_that_is_cut_off) {
    response_stream s(head());
    std::string out;
    s.write_call_piece({.id = "c1", .name = "f", .arguments = "{"}, out);
    s.end(finish_reason::length, {}, out);
    EXPECT_THAT(types_of_calls(out), ElementsAre("response.function_call_arguments.delta {"));
    EXPECT_EQ(events_of(out).back()["response"]["output"][0]["status"], "incomplete");
}

TEST(response_events, end_once) {
    response_stream s(head());
    std::string out;
    s.write_text_piece("Hi.", out);
    s.end_with_error({.code = "server_down", .message = "it is gone"}, out);
    const auto last = events_of(out).back();
    EXPECT_EQ(last["type"], "response.failed");
    EXPECT_EQ(last["response"]["status"], "failed");
    EXPECT_EQ(last["response"]["error"]["code"], "server_down");
    EXPECT_EQ(last["response"]["output"][0]["content"][0]["text"], "Hi.");
    EXPECT_EQ(last["response"]["output"][0]["status"], "incomplete");
    const auto size = out.size();
    s.write_text_piece("More.", out);
    s.write_call({}, out);
    s.end(finish_reason::eos, {}, out);
    s.write_keep_alive(out);
    EXPECT_EQ(out.size(), size);
}

TEST(response_events, report_that_an_interrupted_reply_failed) {
    response_stream s(head());
    std::string out;
    s.end(finish_reason::interrupted, {}, out);
    EXPECT_EQ(events_of(out).back()["type"], "response.failed");
}

}  // namespace
