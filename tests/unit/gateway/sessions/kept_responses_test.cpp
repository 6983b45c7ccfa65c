#include "gateway/sessions/kept_responses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr time_point kept_at = time_point(1h);
constexpr std::size_t many = 100;
constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::vector<std::string> contents(const response_request& r) {
    std::vector<std::string> all;
    for (const auto& m : r.messages) all.push_back(m.content);
    return all;
}

response_request ask(const std::string& words) {
    response_request r;
    r.messages = {{.role = "user", .content = words}};
    return r;
}

kept_response answered() {
    return {.messages = {{.role = "user", .content = "Hello!"},
                         {.role = "assistant", .content = "Good evening."}},
            .affinity_key = "resp_1"};
}

TEST(kept_response, is_forgotten_after_a_minute) {
    kept_response_table table(kept_response_limits);
    table.put(kept_at, "bot\nresp_1", answered(), 100);
    EXPECT_TRUE(table.find(kept_at + 59s, "bot\nresp_1"));
    EXPECT_FALSE(table.find(kept_at + 61s, "bot\nresp_1"));
}

TEST(kept_response, is_read_by_other_gateways_as_it_was_written) {
    auto written = answered();
    written.affinity_key = "anna\n42";
    written.messages.back().tool_calls = {{"call_1", "clock", "{}"}};
    const auto read = parse_kept_response(serialize_kept_response(written));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->messages, written.messages);
    EXPECT_EQ(read->affinity_key, written.affinity_key);
}

TEST(kept_response, is_not_read_from_another_text) {
    for (const auto* text : {"", "anna", "anna\n", "anna\n{}", "anna\n{\"version\": 1}"})
        EXPECT_FALSE(parse_kept_response(text)) << text;
}

TEST(kept_response, precedes_the_input_and_follows_the_instructions) {
    auto r = ask("And you?");
    r.messages.insert(r.messages.begin(), {.role = "system", .content = "Be kind."});
    r.has_instructions = true;
    EXPECT_FALSE(prepend_earlier_messages(r, answered(), many));
    EXPECT_THAT(contents(r), ElementsAre("Be kind.", "Hello!", "Good evening.", "And you?"));
    EXPECT_EQ(r.affinity_key, "resp_1");
}

TEST(kept_response, is_not_continued_without_the_output_of_its_calls) {
    auto before = answered();
    before.messages.back().tool_calls = {{.id = "c1", .name = "f", .arguments = "{}"}};
    auto r = ask("And?");
    const auto error = prepend_earlier_messages(r, before, many);
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("'c1'"));
    EXPECT_THAT(contents(r), ElementsAre("And?"));
}

TEST(kept_response, is_not_continued_beyond_the_maximum_of_messages) {
    auto r = ask("And?");
    const auto error = prepend_earlier_messages(r, answered(), 2);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->param, "previous_response_id");
}

bool is_nowhere(const std::string&) {
    return false;
}

TEST(kept_response, is_fetched_only_by_an_id_that_can_be_right) {
    auto request = ask("Hello!");
    request.previous = "resp_1";
    request.references = {
        {.id = "msg_2_0"}, {.id = "x"}, {.id = "msg_" + std::string(99, 'a') + "_0"}};
    EXPECT_THAT(list_responses_to_fetch(request, is_nowhere), ElementsAre("resp_1", "resp_2"));
    request.previous = "1";
    EXPECT_THAT(list_responses_to_fetch(request, is_nowhere), ElementsAre("resp_2"));
}

TEST(kept_response, is_fetched_with_at_most_31_others_from_the_newest_on) {
    auto request = ask("Hello!");
    for (int i = 0; i < 50; ++i)
        request.references.push_back({.id = "msg_" + std::to_string(i) + "_0"});
    const auto ids = list_responses_to_fetch(request, is_nowhere);
    ASSERT_THAT(ids, SizeIs(32));
    EXPECT_EQ(ids.front(), "resp_49");
    EXPECT_EQ(ids.back(), "resp_18");
}

TEST(kept_response, is_not_fetched_if_it_is_here) {
    auto request = ask("Hello!");
    request.references = {{.id = "msg_1_0"}, {.id = "msg_2_0"}, {.id = "msg_2_1"}};
    const auto is_here = [](const std::string& id) { return id == "resp_1"; };
    EXPECT_THAT(list_responses_to_fetch(request, is_here), ElementsAre("resp_2"));
}

std::function<const kept_response*(const std::string&)> find_in(const kept_response& kept) {
    return [&](const std::string& id) { return id == "resp_1" ? &kept : nullptr; };
}

response_request refer(const std::string& item) {
    auto r = ask("Hello!");
    r.messages.push_back({.role = "assistant"});
    r.references = {{1, item}};
    return r;
}

TEST(item_reference, is_replaced_by_the_answer_that_has_the_item) {
    auto r = refer("rs_1_0");
    r.messages.push_back({.role = "assistant"});
    r.references.push_back({2, "msg_1_1"});
    const auto kept = answered();
    EXPECT_FALSE(resolve_references(r, no_limit, find_in(kept)));
    EXPECT_THAT(contents(r), ElementsAre("Hello!", "Good evening."));
}

kept_response called() {
    auto r = answered();
    r.messages.back().tool_calls = {{"call_1", "clock", "{}"}, {"call_2", "weather", "{}"}};
    return r;
}

TEST(item_reference, stands_for_a_whole_answer_of_which_the_client_sends_other_items_itself) {
    const auto kept = called();
    const chat_message wholes[] = {
        {.role = "assistant", .content = "Good evening."},
        {.role = "assistant", .tool_calls = {{"call_1", "clock", "{ }"}}},
        {.role = "assistant",
         .content = "Good evening.",
         .tool_calls = {{"call_1", "clock", "{}"}, {"call_2", "weather", "{}"}}}};
    for (const auto& whole : wholes) {
        auto r = refer("rs_1_0");
        r.messages.push_back(whole);
        r.messages.push_back({.role = "tool", .content = "Noon.", .tool_call_id = "call_1"});
        EXPECT_FALSE(resolve_references(r, no_limit, find_in(kept)));
        EXPECT_THAT(contents(r), ElementsAre("Hello!", "Good evening.", "Noon."));
        EXPECT_THAT(r.messages[1].tool_calls, SizeIs(2));
    }
}

TEST(item_reference, is_followed_by_what_is_not_in_its_answer) {
    const auto kept = called();
    const chat_message others[] = {
        {.role = "assistant", .content = "Good night."},
        {.role = "assistant", .tool_calls = {{"call_1", "clock", "{}"}, {"call_3", "clock", "{}"}}},
        {.role = "user", .content = "Good evening."}};
    for (const auto& other : others) {
        auto r = refer("msg_1_0");
        r.messages.push_back(other);
        EXPECT_FALSE(resolve_references(r, no_limit, find_in(kept)));
        ASSERT_THAT(r.messages, SizeIs(3));
        EXPECT_EQ(r.messages[2], other);
    }
}

TEST(item_reference, to_an_unknown_item_is_refused) {
    auto r = refer("msg_9_0");
    const auto error = resolve_references(r, no_limit, find_in(answered()));
    ASSERT_TRUE(error);
    EXPECT_THAT(error->message, HasSubstr("msg_9_0"));
}

TEST(item_reference, is_refused_beyond_the_maximum_of_text) {
    constexpr std::size_t most = 10'000;
    const kept_response kept[] = {
        {.messages = {{.role = "assistant", .content = std::string(1'000, 'a')}}},
        {.messages = {{.role = "assistant", .content = std::string(1'000, 'b')}}}};
    int found = 0;
    const auto find = [&](const std::string& id) { return ++found, &kept[id == "resp_1"]; };
    const auto refer_often = [](std::size_t times) {
        response_request r;
        r.messages.resize(times, {.role = "assistant"});
        for (std::size_t i = 0; i < times; ++i)
            r.references.push_back({i, i % 2 == 0 ? "msg_1_0" : "msg_2_0"});
        return r;
    };
    auto few = refer_often(10);
    EXPECT_FALSE(resolve_references(few, most, find));
    EXPECT_THAT(few.messages, SizeIs(10));
    found = 0;
    auto many_references = refer_often(100);
    const auto error = resolve_references(many_references, most, find);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code, "prompt_too_large");
    EXPECT_EQ(found, 11) << "and no more is copied";
}

}  // namespace
}  // namespace tandem::gateway
