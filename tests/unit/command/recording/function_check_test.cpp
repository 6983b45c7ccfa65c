#include "recording/function_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace tandem::command;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* tools_of_the_run = R"([{"type":"function","function":{"name":"of_run"}}])";
constexpr const char* tools = R"("tools":[{"type":"function","function":{"name":"f"}}],)";

std::vector<std::string> function_faults_of(const std::string& line, const std::string& choice = {},
                                            const std::string& run_tools = {}) {
    const auto file = parse_prompts("{" + line + "}");
    EXPECT_THAT(file.faults, IsEmpty()) << line;
    const tandem::generation_options common{.tools = run_tools, .tool_choice = choice};
    std::vector<std::string> all;
    for (auto* const check : {check_functions, check_tool_choice})
        for (const auto& f : check(file.dialogues, common))
            all.push_back(std::to_string(f.line) + ": " + f.message);
    return all;
}

TEST(function_check, passes_a_line_that_names_its_own_functions) {
    const auto line = tools + std::string(R"("turns":["a"],"results":{"f":"1"},)") +
                      R"("expect":{"calls":["f",{"name":"f"}]})";
    for (const auto* choice : {"", "auto", "none", "required", "f"})
        EXPECT_THAT(function_faults_of(line, choice), IsEmpty()) << choice;
}

TEST(function_check, passes_a_line_that_names_functions_of_the_run) {
    EXPECT_THAT(
        function_faults_of(R"("turns":["a"],"results":{"of_run":"1"})", "of_run", tools_of_the_run),
        IsEmpty());
}

TEST(function_check, refuses_a_result_of_a_function_that_is_not_in_the_tools) {
    EXPECT_THAT(
        function_faults_of(tools + std::string(R"("turns":["a"],"results":{"g":"1"})")),
        ElementsAre("1: results names the function \"g\", but the tools of the line are f"));
}

TEST(function_check, refuses_a_function_of_the_run_in_a_line_with_its_own_tools) {
    EXPECT_THAT(
        function_faults_of(tools + std::string(R"("turns":["a"],"results":{"of_run":"1"})"), "",
                           tools_of_the_run),
        ElementsAre("1: results names the function \"of_run\", but the tools of the line are f"));
}

TEST(function_check, refuses_an_expected_call_of_a_turn) {
    EXPECT_THAT(
        function_faults_of(
            tools + std::string(R"("turns":["a",{"user":"b","expect":{"calls":["g"]}},"c"])")),
        ElementsAre(
            "1: expect of turn 2 names the function \"g\", but the tools of the line are f"));
}

TEST(function_check, refuses_a_name_in_a_line_without_tools) {
    EXPECT_THAT(function_faults_of(R"("turns":["a"],"expect":{"calls":["g"]})"),
                ElementsAre("1: expect names the function \"g\", but the line has no tools; add "
                            "them, or use --tools"));
    EXPECT_THAT(function_faults_of(R"("turns":["a"],"expect":{"calls":[]})"), IsEmpty());
}

TEST(function_check, refuses_an_expected_call_of_a_raw_prompt) {
    EXPECT_THAT(
        function_faults_of(R"("prompt":"a","expect":{"calls":["of_run"]})", "", tools_of_the_run),
        ElementsAre("1: expect names the function \"of_run\", but a raw prompt calls no functions; "
                    "use a conversation"));
}

TEST(function_check, passes_a_raw_prompt_of_a_file_with_any_choice) {
    EXPECT_THAT(function_faults_of(R"("prompt":"a")", "g"), IsEmpty());
}

TEST(function_check, leaves_the_choice_to_a_check_of_its_own) {
    const auto file = parse_prompts(R"({"turns":["a"],"results":{"g":"1"}})");
    EXPECT_THAT(check_tool_choice(file.dialogues, {.tool_choice = "auto"}), IsEmpty());
    EXPECT_THAT(
        check_functions(parse_prompts(R"({"turns":["a"]})").dialogues, {.tool_choice = "g"}),
        IsEmpty());
}

TEST(function_check, refuses_a_choice_for_flags_without_tools) {
    const auto fault_of = [](const std::vector<dialogue>& given) {
        return check_tool_choice(given, {.tool_choice = "g"}).at(0).message;
    };
    EXPECT_EQ(fault_of(make_dialogues({}, {"a"})),
              "--tool-choice names the function \"g\", but there are no tools; use --tools");
    EXPECT_EQ(fault_of(make_dialogues({"a"}, {})),
              "--tool-choice names the function \"g\", but a raw prompt calls no functions; use a "
              "conversation");
}

TEST(function_check, refuses_a_choice_that_is_not_in_the_tools_of_a_line) {
    EXPECT_THAT(function_faults_of(tools + std::string(R"("turns":["a"])"), "g"),
                ElementsAre("1: --tool-choice names the function \"g\", but the tools of the line "
                            "are f"));
}

}  // namespace
