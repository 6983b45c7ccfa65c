#include "recording/prompt_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::command::make_dialogues;
using tandem::command::max_line_bytes;
using tandem::command::parse_prompts;
using tandem::command::run_id;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

std::vector<std::string> faults_of(std::string_view text) {
    std::vector<std::string> faults;
    for (const auto& f : parse_prompts(text).faults)
        faults.push_back(fmt::format("{}: {}", f.line, f.message));
    return faults;
}

std::vector<std::string> ids_of(std::string_view text) {
    std::vector<std::string> ids;
    for (const auto& d : parse_prompts(text).dialogues) ids.push_back(d.id);
    return ids;
}

TEST(prompt_file, reads_a_raw_prompt) {
    const auto file = parse_prompts(R"({"id": "a", "prompt": "Once upon"})");
    ASSERT_THAT(file.dialogues, SizeIs(1));
    EXPECT_EQ(file.dialogues[0].id, "a");
    EXPECT_EQ(file.dialogues[0].prompt, "Once upon");
    EXPECT_EQ(file.dialogues[0].replies(), 1);
}

TEST(prompt_file, reads_messages_as_one_reply) {
    const auto file = parse_prompts(
        R"({"messages": [{"role": "system", "content": "Hm"}, {"role": "user", "content": "Hi"}]})");
    ASSERT_THAT(file.dialogues, SizeIs(1));
    const auto& d = file.dialogues[0];
    EXPECT_FALSE(d.prompt);
    EXPECT_EQ(d.replies(), 1);
    ASSERT_THAT(d.messages, SizeIs(2));
    EXPECT_EQ(d.messages[0].role, "system");
    EXPECT_EQ(d.messages[1].content, "Hi");
}

TEST(prompt_file, reads_turns_after_a_system_message) {
    const auto file = parse_prompts(R"({"turns": ["Hi", "And?"], "system": "Be brief."})");
    ASSERT_THAT(file.dialogues, SizeIs(1));
    const auto& d = file.dialogues[0];
    EXPECT_EQ(d.replies(), 2);
    EXPECT_THAT(d.turns, ElementsAre("Hi", "And?"));
    ASSERT_THAT(d.messages, SizeIs(1));
    EXPECT_EQ(d.messages[0].role, "system");
    EXPECT_EQ(d.messages[0].content, "Be brief.");
}

TEST(prompt_file, reads_the_limits_of_a_line) {
    const auto file =
        parse_prompts(R"({"prompt": "x", "max_tokens": 7, "interrupt_after_ms": 1.5})");
    ASSERT_THAT(file.dialogues, SizeIs(1));
    EXPECT_THAT(file.dialogues[0].max_tokens, Optional(7));
    EXPECT_THAT(file.dialogues[0].interrupt_after, Optional(tandem::duration(1500us)));
}

TEST(prompt_file, reads_tools_and_the_results_of_their_calls) {
    const std::string tools =
        R"([{"type":"function","function":{"name":"f","parameters":{"z":1,"a":2}}}])";
    const auto file =
        parse_prompts(R"({"turns": ["Hi"], "results": {"f": ["1", "2"]}, "tools": )" + tools + "}");
    EXPECT_THAT(file.faults, IsEmpty());
    ASSERT_THAT(file.dialogues, SizeIs(1));
    EXPECT_EQ(get_generation_options(file.dialogues[0], {}).tools, tools);
    EXPECT_THAT(file.dialogues[0].results.at("f"), ElementsAre("1", "2"));
}

TEST(canned_results, are_handed_out_in_order_and_the_last_is_repeated) {
    const tandem::command::dialogue d{.results = {{"f", {"1", "2"}}}};
    tandem::command::canned_results results(d);
    EXPECT_EQ(results.next_result("f"), "1");
    EXPECT_EQ(results.next_result("f"), "2");
    EXPECT_EQ(results.next_result("f"), "2");
    EXPECT_EQ(results.next_result("g"), "Error: there is no result for \"g\"");
}

TEST(prompt_file, names_lines_by_their_place_among_the_prompts) {
    EXPECT_THAT(ids_of("\n{\"prompt\":\"a\"}\n\n{\"prompt\":\"b\"}\n"), ElementsAre("p1", "p2"));
}

TEST(prompt_file, leaves_out_blank_lines_a_byte_order_mark_and_carriage_returns) {
    EXPECT_THAT(ids_of("\xEF\xBB\xBF{\"prompt\":\"a\"}\r\n \t\r\n\r\n"), ElementsAre("p1"));
}

TEST(prompt_file, has_nothing_in_an_empty_text) {
    const auto file = parse_prompts("");
    EXPECT_THAT(file.dialogues, IsEmpty());
    EXPECT_THAT(file.faults, IsEmpty());
}

TEST(prompt_file, reports_the_faults_of_all_lines) {
    EXPECT_THAT(faults_of("[]\n{\"prompt\":\"a\"}\n\n{}\n"),
                ElementsAre("1: not a JSON object; write {\"prompt\": \"text\"} or "
                            "{\"turns\": [\"text\"]}",
                            "4: prompt, messages or turns is required"));
}

TEST(prompt_file, reports_all_faults_of_one_line) {
    EXPECT_THAT(
        faults_of(R"({"prompt": 1, "id": "", "colour": 2})"),
        ElementsAre("1: prompt must be a string, not number",
                    "1: id has 0 bytes; it must have 1 to 256", "1: unknown field \"colour\""));
}

TEST(prompt_file, refuses_turns_without_words) {
    EXPECT_THAT(faults_of(R"({"turns": ["Hi", " \n", {"user": ""}]})"),
                ElementsAre("1: turns[1] is empty or only white space",
                            "1: turns[2].user is empty or only white space"));
}

TEST(prompt_file, refuses_a_last_message_of_the_user_without_words) {
    EXPECT_THAT(faults_of(R"({"messages": [{"role": "user", "content": "\u3000"}]})"),
                ElementsAre("1: messages[0].content is empty or only white space"));
    EXPECT_THAT(faults_of(R"({"messages": [{"role": "user", "content": ""},)"
                          R"( {"role": "assistant", "content": "Hello!"},)"
                          R"( {"role": "user", "content": "Hi"}]})"),
                IsEmpty());
}

TEST(prompt_file, refuses_an_id_that_an_earlier_line_has) {
    EXPECT_THAT(faults_of("{\"id\":\"x\",\"prompt\":\"\"}\n{\"id\":\"x\",\"prompt\":\"\"}"),
                ElementsAre("2: the id \"x\" is that of line 1"));
}

TEST(prompt_file, refuses_an_id_that_a_line_without_one_got) {
    EXPECT_THAT(faults_of("{\"prompt\":\"\"}\n{\"id\":\"p1\",\"prompt\":\"\"}"),
                ElementsAre("2: the id \"p1\" is that of line 1"));
}

TEST(prompt_file, reports_where_invalid_utf8_is_in_the_line_and_in_the_file) {
    EXPECT_THAT(faults_of("{\"prompt\":\"a\"}\n{\"prompt\":\"b\xFF\"}"),
                ElementsAre("2: invalid UTF-8 at byte 13 of the line, byte 28 of the file"));
}

TEST(prompt_file, refuses_a_line_over_the_bound) {
    const auto line = "{\"prompt\":\"" + std::string(max_line_bytes, 'x') + "\"}";
    EXPECT_THAT(faults_of(line),
                ElementsAre("1: the line has 16777229 bytes; the maximum is 16777216"));
}

TEST(prompt_file, survives_deep_nesting) {
    EXPECT_THAT(faults_of(std::string(100'000, '[')),
                ElementsAre("1: the line is nested deeper than 64 levels"));
}

struct bad_line {
    const char* name;
    const char* line;
    const char* message;
};

class prompt_file_refuses : public testing::TestWithParam<bad_line> {};

TEST_P(prompt_file_refuses, a_line) {
    EXPECT_THAT(faults_of(GetParam().line), ElementsAre(std::string("1: ") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    table, prompt_file_refuses,
    testing::Values(
        bad_line{"that_is_no_json", "Hello",
                 "not a JSON object; write {\"prompt\": \"text\"} or {\"turns\": "
                 "[\"text\"]}"},
        bad_line{"with_text_behind_the_object", R"({"prompt":"a"} x)",
                 "not valid JSON at column 16"},
        bad_line{"that_ends_early", R"({"prompt":"a")",
                 "the JSON object is incomplete at the end of the line"},
        bad_line{"with_half_a_surrogate", R"({"prompt":"\ud800"})", "not valid JSON at column 18"},
        bad_line{"with_a_huge_number", R"({"prompt":"a","max_tokens":1e999})",
                 "a number is too large"},
        bad_line{"that_is_a_text", R"("prompt")",
                 "not a JSON object; write {\"prompt\": \"text\"} or {\"turns\": [\"text\"]}"},
        bad_line{"with_two_kinds", R"({"prompt":"a","turns":["b"]})",
                 "prompt and turns are given; use only one of them"},
        bad_line{"with_a_system_message_for_a_prompt", R"({"prompt":"a","system":"b"})",
                 "system is allowed only with turns"},
        bad_line{"with_an_unknown_field", R"({"promt":"a","prompt":"a"})",
                 "unknown field \"promt\""},
        bad_line{"with_a_number_as_id", R"({"id":1,"prompt":"a"})",
                 "id must be a string, not number"},
        bad_line{"with_an_empty_id", R"({"id":"","prompt":"a"})",
                 "id has 0 bytes; it must have 1 to 256"},
        bad_line{"with_no_messages", R"({"messages":[]})",
                 "messages must be a non-empty list of {\"role\", \"content\"}"},
        bad_line{"with_a_message_that_is_a_text", R"({"messages":["Hi"]})",
                 "messages[0] must be {\"role\", \"content\"}"},
        bad_line{"with_a_message_without_role", R"({"messages":[{"role":"","content":"Hi"}]})",
                 "messages[0].role must be system, user, assistant or tool"},
        bad_line{"with_a_message_of_an_unknown_role",
                 R"({"messages":[{"role":"hacker","content":"Hi"}]})",
                 "messages[0].role must be system, user, assistant or tool"},
        bad_line{"with_a_message_without_content", R"({"messages":[{"role":"user"}]})",
                 "messages[0] has no content"},
        bad_line{"with_content_that_is_no_text",
                 R"({"messages":[{"role":"user","content":["Hi"]}]})",
                 "messages[0].content must be a string, not array"},
        bad_line{"with_an_unknown_field_of_a_message",
                 R"({"messages":[{"role":"user","content":"Hi","name":"x"}]})",
                 "messages[0]: unknown field \"name\""},
        bad_line{"with_a_field_twice", R"({"turns":["a"],"expect":{"text":"x","text":"y"}})",
                 "expect.text is given twice"},
        bad_line{"with_no_turns", R"({"turns":[]})", "turns must be a non-empty list"},
        bad_line{"with_a_turn_that_is_no_text", R"({"turns":["a",2]})",
                 "turns[1] must be a string, not number"},
        bad_line{"with_negative_max_tokens", R"({"prompt":"a","max_tokens":-1})",
                 "max_tokens must be a whole number from 0 to 1000000"},
        bad_line{"with_half_a_token", R"({"prompt":"a","max_tokens":1.5})",
                 "max_tokens must be a whole number from 0 to 1000000"},
        bad_line{"with_a_time_as_text", R"({"prompt":"a","interrupt_after_ms":"1s"})",
                 "interrupt_after_ms must be a number from 0 to 86400000"},
        bad_line{"with_tools_for_a_prompt", R"({"prompt":"a","results":{"f":"1"}})",
                 "results is allowed only with messages or turns"},
        bad_line{"with_tools_that_are_no_list", R"({"turns":["a"],"tools":{}})",
                 "tools must be a non-empty list of functions"},
        bad_line{"with_a_tool_without_a_name",
                 R"({"turns":["a"],"tools":[{"type":"function","function":{}}]})",
                 "tools[0].function.name must be a non-empty string"},
        bad_line{"with_no_results", R"({"turns":["a"],"results":{}})",
                 "results must be an object with the results of each function"},
        bad_line{"with_a_result_that_is_no_text", R"({"turns":["a"],"results":{"f":[1]}})",
                 "results.f must be a string or a non-empty list of strings"},
        bad_line{"with_a_negative_time", R"({"prompt":"a","interrupt_after_ms":-1})",
                 "interrupt_after_ms must be a number from 0 to 86400000"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(prompt_arguments, are_numbered_raw_prompts_first) {
    const auto dialogues = make_dialogues({"raw"}, {"Hi"});
    ASSERT_THAT(dialogues, SizeIs(2));
    EXPECT_EQ(dialogues[0].id, "p1");
    EXPECT_EQ(dialogues[0].prompt, "raw");
    EXPECT_EQ(dialogues[1].id, "p2");
    EXPECT_FALSE(dialogues[1].prompt);
    EXPECT_EQ(dialogues[1].messages.at(0).content, "Hi");
}

TEST(run_ids, tell_the_runs_of_a_dialogue_apart) {
    EXPECT_EQ(run_id("p1", 0, 1), "p1");
    EXPECT_EQ(run_id("p1", 0, 3), "p1#1");
    EXPECT_EQ(run_id("p1", 2, 3), "p1#3");
}

}  // namespace
