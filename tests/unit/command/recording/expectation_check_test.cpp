#include "recording/expectation_check.hpp"

#include "recording/prompt_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;

expectation expect(const std::string& fields) {
    const auto file = parse_prompts(R"({"prompt":"x","expect":)" + fields + "}");
    EXPECT_THAT(file.faults, IsEmpty());
    return file.faults.empty() ? file.dialogues.at(0).expected.at(0) : expectation();
}

turn_outcome some_outcome() {
    return {.text = "It is noon.\nBye.",
            .calls = {{"1", "get_time", R"({"zone": "UTC", "at": {"day": 1, "hour": 2}})"}},
            .finish_reason = tandem::finish_reason::eos,
            .first_chunk_ms = 250,
            .longest_gap_ms = 40,
            .chunks = 2};
}

std::vector<std::string> broken_of(const std::string& fields,
                                   const turn_outcome& came = some_outcome()) {
    std::vector<std::string> all;
    for (const auto& b : find_broken_expectations(expect(fields), came)) all.push_back(describe(b));
    return all;
}

TEST(expectation_check, finds_nothing_if_all_hold) {
    const auto* all = R"({"text":"noon\\.$|noon","not_text":"midnight","calls":["get_time"],)"
                      R"("finish_reason":"eos","first_chunk_ms":250,"gap_ms":40,"chunks":2})";
    EXPECT_THAT(broken_of(all), IsEmpty());
}

TEST(expectation_check, reports_what_was_expected_and_what_came) {
    struct {
        const char* fields;
        const char* words;
    } const cases[]{
        {R"({"text":"^noon"})", "text: expected /^noon/, got «It is noon.\nBye.»"},
        {R"({"not_text":"no+n"})", "not_text: expected not /no+n/, got «It is noon.\nBye.»"},
        {R"({"calls":[]})",
         R"(calls: expected none, got get_time{"zone": "UTC", "at": {"day": 1, "hour": 2}})"},
        {R"({"finish_reason":"length"})", "finish_reason: expected length, got eos"},
        {R"({"first_chunk_ms":200})", "first_chunk_ms: expected at most 200 ms, got 250.0 ms"},
        {R"({"gap_ms":0.25})", "gap_ms: expected at most 0.25 ms, got 40.0 ms"},
        {R"({"chunks":3})", "chunks: expected 3, got 2"},
        {R"({"chunks":{"min":3}})", "chunks: expected at least 3, got 2"},
        {R"({"chunks":{"max":1}})", "chunks: expected at most 1, got 2"},
        {R"({"chunks":{"min":3,"max":4}})", "chunks: expected 3 to 4, got 2"},
    };
    for (const auto& c : cases) EXPECT_THAT(broken_of(c.fields), ElementsAre(c.words));
}

TEST(expectation_check, wants_the_given_arguments_and_allows_others) {
    EXPECT_THAT(broken_of(R"({"calls":[{"name":"get_time","arguments":{"at":{"hour":2}}}]})"),
                IsEmpty());
    EXPECT_THAT(broken_of(R"({"calls":[{"name":"get_time","arguments":{"zone":"CET"}}]})"),
                testing::SizeIs(1));
    EXPECT_THAT(broken_of(R"({"calls":["get_time","get_time"]})"), testing::SizeIs(1));
}

TEST(expectation_check, does_not_find_arguments_that_are_no_json) {
    auto came = some_outcome();
    came.calls[0].arguments = "{";
    EXPECT_THAT(broken_of(R"({"calls":[{"name":"get_time","arguments":{}}]})", came),
                testing::SizeIs(1));
}

TEST(expectation_check, breaks_a_time_without_a_chunk) {
    EXPECT_THAT(broken_of(R"({"first_chunk_ms":200})", {.finish_reason = {}}),
                ElementsAre("first_chunk_ms: expected at most 200 ms, got no chunk"));
}

TEST(expectation_check, tells_only_the_failure_of_a_reply) {
    auto came = some_outcome();
    came.failure = "no_model: no server is up";
    EXPECT_THAT(broken_of(R"({"text":"x","chunks":9})", came),
                ElementsAre("reply: expected no failure, got no_model: no server is up"));
}

TEST(expectation_check, shortens_long_texts_between_characters) {
    auto came = some_outcome();
    came.text = "x" + std::string(200, 'a');
    came.text.replace(199, 2, "é");
    const auto broken = find_broken_expectations(expect(R"({"text":"z"})"), came);
    EXPECT_EQ(broken.at(0).got, "«x" + std::string(198, 'a') + "…»");
}

TEST(expectation_check, searches_long_texts_up_to_a_bound) {
    auto came = some_outcome();
    came.text = std::string(max_searched_bytes, 'a');
    EXPECT_THAT(broken_of(R"({"text":"^(a*)*$"})", came), IsEmpty());
    came.text += 'a';
    EXPECT_THAT(broken_of(R"({"not_text":"b"})", came),
                ElementsAre("not_text: expected not /b/, got 65537 bytes; at most 65536 are "
                            "searched"));
}

TEST(turn_outcome, joins_the_replies_of_a_turn) {
    tandem::reply_result first;
    first.finish_reason = tandem::finish_reason::tool_calls;
    first.text = "One moment.";
    first.calls = {{"1", "f", "{}"}};
    first.metrics.first_chunk_ms = 5;
    first.metrics.longest_gap_ms = 9;
    first.metrics.chunks = 1;
    tandem::reply_result second;
    second.finish_reason = tandem::finish_reason::eos;
    second.text = "Noon.";
    second.metrics.first_chunk_ms = 70;
    second.metrics.longest_gap_ms = 3;
    second.metrics.chunks = 2;
    turn_outcome turn;
    turn.add(first);
    turn.add(second);
    EXPECT_EQ(turn.text, "One moment.\nNoon.");
    EXPECT_THAT(turn.calls, testing::SizeIs(1));
    EXPECT_EQ(turn.finish_reason, tandem::finish_reason::eos);
    EXPECT_EQ(turn.first_chunk_ms, 5);
    EXPECT_EQ(turn.longest_gap_ms, 9);
    EXPECT_EQ(turn.chunks, 3);
}

}  // namespace
