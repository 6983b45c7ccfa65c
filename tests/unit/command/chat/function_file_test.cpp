#include "chat/function_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The JSON of a function, with `members` after its declaration.
std::string function(const std::string& name, const std::string& members) {
    return R"({"type":"function","function":{"name":")" + name +
           R"(","parameters":{"type":"object","properties":{"b":{},"a":{}}}})" + members + "}";
}

TEST(a_function_file, declares_functions_and_their_commands) {
    const auto file =
        parse_function_file("[" + function("now", R"(,"command":["date","+%H:%M"])") + "," +
                            function("book", R"(,"timeout_ms":500,"command":["b"])") + "]");
    EXPECT_THAT(file.faults, IsEmpty());
    ASSERT_THAT(file.functions, SizeIs(2));
    EXPECT_EQ(file.functions[0].name, "now");
    EXPECT_THAT(file.functions[0].command, ElementsAre("date", "+%H:%M"));
    EXPECT_EQ(file.functions[0].limit, 10s);
    EXPECT_EQ(file.functions[1].name, "book");
    EXPECT_EQ(file.functions[1].limit, 500ms);
}

TEST(a_function_file, gives_the_model_the_declarations_without_the_commands) {
    const auto file =
        parse_function_file("[" + function("now", R"(,"timeout_ms":500,"command":["date"])") + "]");
    EXPECT_EQ(file.tools, "[" + function("now", "") + "]");
}

TEST(a_function_file, has_all_its_faults_reported_with_their_paths) {
    const auto file =
        parse_function_file("[" + function("now", R"(,"command":"date")") + "," +
                            function("now", R"(,"command":["date"],"timeout":1)") + "]");
    EXPECT_THAT(
        file.faults,
        ElementsAre("[0].command must be a list of strings: a program and its arguments",
                    "[1]: unknown field \"timeout\"", "[1].function.name is \"now\", as in [0]"));
}

struct bad_file_row {
    const char* text;
    const char* fault;
};

class a_bad_function_file : public ::testing::TestWithParam<bad_file_row> {};

TEST_P(a_bad_function_file, is_refused) {
    EXPECT_THAT(parse_function_file(GetParam().text).faults,
                ElementsAre(HasSubstr(GetParam().fault)));
}

INSTANTIATE_TEST_SUITE_P(
    rows, a_bad_function_file,
    ::testing::Values(
        bad_file_row{"", "it is not valid JSON"}, bad_file_row{"[{]", "it is not valid JSON"},
        bad_file_row{"{}", "the file must be a non-empty list of functions"},
        bad_file_row{"[]", "the file must be a non-empty list of functions"},
        bad_file_row{R"([{"command":["f"],"command":["g"]}])", "[0].command is given twice"},
        bad_file_row{"[1]", "[0] must be an object, not number"},
        bad_file_row{R"([{"type":"retrieval","function":{"name":"f"},"command":["f"]}])",
                     "[0].type must be \"function\""},
        bad_file_row{R"([{"type":"function","command":["f"]}])",
                     "[0].function must be an object with a name"},
        bad_file_row{R"([{"type":"function","function":{"name":""},"command":["f"]}])",
                     "[0].function.name must be a non-empty string"},
        bad_file_row{
            R"([{"type":"function","function":{"name":"f","parameters":[]},"command":["f"]}])",
            "[0].function.parameters must be a JSON schema"},
        bad_file_row{R"([{"type":"function","function":{"name":"f"}}])",
                     "[0].command must be a list"},
        bad_file_row{R"([{"type":"function","function":{"name":"f"},"command":[]}])",
                     "[0].command must be a list"},
        bad_file_row{R"([{"type":"function","function":{"name":"f"},"command":[""]}])",
                     "[0].command must be a list"},
        bad_file_row{
            R"([{"type":"function","function":{"name":"f"},"command":["f"],"timeout_ms":0}])",
            "[0].timeout_ms must be a whole number from 1 to 600000"}));

TEST(a_bad_function_file, is_refused_if_its_declarations_are_too_long) {
    const auto name = std::string(70'000, 'x');
    EXPECT_THAT(parse_function_file("[" + function(name, R"(,"command":["f"])") + "]").faults,
                ElementsAre(HasSubstr("the list has 70")));
}

TEST(a_bad_function_file, survives_deep_nesting) {
    EXPECT_THAT(parse_function_file(std::string(100'000, '[')).faults, SizeIs(1));
}

}  // namespace
}  // namespace tandem::command
