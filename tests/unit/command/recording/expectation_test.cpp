#include "recording/expectation.hpp"

#include "recording/prompt_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::command::dialogue;
using tandem::command::parse_prompts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;

std::vector<std::string> refusals_of(const std::string& expect) {
    std::vector<std::string> faults;
    for (const auto& f : parse_prompts(R"({"prompt":"x","expect":)" + expect + "}").faults)
        faults.push_back(fmt::format("{}: {}", f.line, f.message));
    return faults;
}

dialogue dialogue_of(const std::string& line) {
    const auto file = parse_prompts(line);
    EXPECT_THAT(file.faults, IsEmpty());
    return file.dialogues.empty() ? dialogue() : file.dialogues[0];
}

TEST(expectation, of_a_line_is_that_of_its_last_turn) {
    const auto d = dialogue_of(
        "\n"
        R"({"turns":["a","b"],"expect":{"text":"^b"}})");
    EXPECT_EQ(d.line, 2u);
    ASSERT_EQ(d.expected.size(), 1u);
    EXPECT_EQ(d.expected.at(1).text->source, "^b");
}

TEST(expectation, of_a_turn_stands_beside_what_the_user_says) {
    const auto d = dialogue_of(R"({"turns":[{"user":"a","expect":{"chunks":{"max":3}}},"b"]})");
    EXPECT_THAT(d.turns, ElementsAre("a", "b"));
    EXPECT_THAT(d.expected.at(0).max_chunks, Optional(3));
    EXPECT_FALSE(d.expected.at(0).min_chunks);
}

TEST(expectation, has_calls_with_and_without_arguments) {
    const auto d =
        dialogue_of(R"({"prompt":"x","expect":{"calls":["f",{"name":"g","arguments":{"a":1}}]}})");
    const auto& calls = *d.expected.at(0).calls;
    ASSERT_EQ(calls.size(), 2u);
    EXPECT_EQ(calls[0].name, "f");
    EXPECT_EQ(calls[0].arguments, "");
    EXPECT_EQ(calls[1].arguments, R"({"a":1})");
}

TEST(expectation, names_the_known_fields_if_one_is_unknown) {
    EXPECT_THAT(refusals_of(R"({"txt":"a"})"),
                ElementsAre("1: expect: unknown field \"txt\"; known are text, not_text, calls, "
                            "finish_reason, first_chunk_ms, gap_ms, chunks"));
}

TEST(expectation, is_refused_with_its_place_and_bounds) {
    struct {
        const char* expect;
        const char* words;
    } const cases[]{
        {"1", "expect must be a non-empty object"},
        {"{}", "expect must be a non-empty object"},
        {R"({"text":"("})", "expect.text is \"(\", which is not a regular expression"},
        {R"({"not_text":""})", "expect.not_text must be a regular expression of 1 to 1000 bytes"},
        {R"({"text":"(a)\\1"})", "can be searched without backtracking"},
        {R"({"calls":"f"})", "expect.calls must be a list of at most 100 functions"},
        {R"({"calls":[1]})", "expect.calls[0] must be the name of a function"},
        {R"({"calls":[{"name":"f","arguments":"{}"}]})",
         "expect.calls[0].arguments must be an object"},
        {R"({"calls":[{"name":"f","args":{}}]})", "expect.calls[0]: unknown field \"args\""},
        {R"({"finish_reason":"done"})", "must be one of eos, stop_word, length, tool_calls, int"},
        {R"({"first_chunk_ms":-1})", "expect.first_chunk_ms must be a number from 0 to 86400000"},
        {R"({"gap_ms":"1"})", "expect.gap_ms must be a number from 0 to 86400000"},
        {R"({"chunks":1.5})", "expect.chunks must be a whole number or {\"min\", \"max\"}"},
        {R"({"chunks":{"min":-1}})", "expect.chunks.min must be a whole number from 0 to 1000000"},
        {R"({"chunks":{"min":4,"max":3}})", "expect.chunks.min is 4, more than max, 3"},
        {R"({"chunks":{"most":3}})", "expect.chunks: unknown field \"most\"; known are min, max"},
    };
    for (const auto& c : cases) EXPECT_THAT(refusals_of(c.expect), ElementsAre(HasSubstr(c.words)));
}

TEST(expectation, is_refused_twice_for_one_turn) {
    const auto file =
        parse_prompts(R"({"turns":[{"user":"a","expect":{"text":"a"}}],"expect":{"text":"b"}})");
    ASSERT_EQ(file.faults.size(), 1u);
    EXPECT_THAT(file.faults[0].message, HasSubstr("twice for the last turn"));
}

}  // namespace
