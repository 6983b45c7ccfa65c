#include "gateway/answers/tool_call_parser.hpp"

#include "conversation/tool_call_json.hpp"
#include "gateway/json/raw_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::vector<std::string> functions{"weather", "now", "a\"b"};

std::vector<tool_call> calls(std::string_view text) {
    std::vector<tool_call> out;
    EXPECT_EQ(read_calls(text, functions, out), call_fault::none) << text;
    return out;
}

TEST(raw_json, gives_members_as_they_are_written) {
    const auto members =
        split_members(R"({ "a" : {"x":[1, "}"]} ,"b\"":"q\\" , "c":-1.5e3,"d":null})");
    ASSERT_EQ(members.size(), 4u);
    EXPECT_EQ(members[0].key, "a");
    EXPECT_EQ(members[0].value, R"({"x":[1, "}"]})");
    EXPECT_EQ(members[1].key, R"(b\")");
    EXPECT_EQ(members[1].value, R"("q\\")");
    EXPECT_EQ(members[2].value, "-1.5e3");
    EXPECT_EQ(members[3].value, "null");
    EXPECT_THAT(split_members("{ }"), IsEmpty());
}

TEST(raw_json, gives_items_as_they_are_written) {
    EXPECT_THAT(split_items(R"([1, [2,3] ,"a,b" , {"c":4}])"),
                ElementsAre("1", "[2,3]", R"("a,b")", R"({"c":4})"));
    EXPECT_THAT(split_items("[]"), IsEmpty());
}

TEST(call_text, has_a_name_and_arguments_which_stay_as_they_are) {
    EXPECT_THAT(calls(R"({"name": "weather", "arguments": {"city": "Bonn",  "days":2}})"),
                ElementsAre(tool_call{"", "weather", R"({"city": "Bonn",  "days":2})"}));
    EXPECT_THAT(calls(R"( {"parameters":{},"name":"now"} )"),
                ElementsAre(tool_call{"", "now", "{}"}));
    EXPECT_THAT(calls(R"({"name":"a\"b","arguments":{}})"),
                ElementsAre(tool_call{"", "a\"b", "{}"}));
}

TEST(call_text, may_be_a_list) {
    EXPECT_THAT(calls(R"([{"name":"now","arguments":{}}, {"name":"weather","arguments":{"a":1},
                          "id":"123456789"}])"),
                ElementsAre(tool_call{"", "now", "{}"}, tool_call{"", "weather", R"({"a":1})"}));
}

TEST(call_text, may_be_of_openais_form) {
    EXPECT_THAT(calls(R"({"type":"function","function":{"name":"now","arguments":"{\"a\":1}"}})"),
                ElementsAre(tool_call{"", "now", R"({"a":1})"}));
}

TEST(call_text, has_empty_arguments_where_there_are_none) {
    for (const char* text :
         {R"({"name":"now"})", R"({"name":"now","arguments":null})",
          R"({"name":"now","arguments":""})", R"({"name":"now","arguments":" {} "})"})
        EXPECT_THAT(calls(text), ElementsAre(tool_call{"", "now", "{}"})) << text;
}

TEST(call_text, is_no_call_where_it_has_no_such_form) {
    const struct {
        const char* text;
        call_fault fault;
    } rows[] = {
        {"", call_fault::malformed},
        {"now", call_fault::malformed},
        {"[]", call_fault::malformed},
        {"{}", call_fault::malformed},
        {R"({"name":5})", call_fault::malformed},
        {R"({"name":"now","arguments":{"a":}})", call_fault::malformed},
        {R"({"name":"now","arguments":{}} x)", call_fault::malformed},
        {R"({"name":"now","arguments":[1]})", call_fault::malformed},
        {R"({"name":"now","arguments":5})", call_fault::malformed},
        {R"({"name":"now","arguments":"five"})", call_fault::malformed},
        {R"({"name":"now","arguments":"{"})", call_fault::malformed},
        {R"({"name":"later","arguments":{}})", call_fault::unknown_function},
        {R"([{"name":"now","arguments":{}},5])", call_fault::malformed},
        {R"([{"name":"now","arguments":{}},{"name":"later"}])", call_fault::unknown_function},
        {"{\"name\":\"now\",\"arguments\":{\"a\":\"\xff\"}}", call_fault::malformed},
    };
    for (const auto& row : rows) {
        std::vector<tool_call> out;
        EXPECT_EQ(read_calls(row.text, functions, out), row.fault) << row.text;
        EXPECT_THAT(out, IsEmpty()) << row.text;
    }
}

TEST(call_text, may_have_its_name_before_it) {
    std::vector<tool_call> out;
    EXPECT_EQ(parse_named_call("now", R"( {"a": 1})", functions, out), call_fault::none);
    EXPECT_THAT(out, ElementsAre(tool_call{"", "now", R"({"a": 1})"}));
    EXPECT_EQ(parse_named_call("later", "{}", functions, out), call_fault::unknown_function);
    EXPECT_EQ(parse_named_call("now", "[1]", functions, out), call_fault::malformed);
}

// The history presents a call to the model as the model wrote it, so that caches match.
TEST(call_text, is_read_as_the_library_writes_it_into_history) {
    for (const std::string arguments :
         {"{}", R"({"city": "Bonn",  "days":2})", R"({"a":"}, \"x\": {"})", "{\n\"é\": [1, {}]\n}"})
        EXPECT_THAT(calls(wire::format_tool_call({"id", "weather", arguments})),
                    ElementsAre(tool_call{"", "weather", arguments}));
    EXPECT_THAT(calls(wire::format_tool_call({"", "now", ""})),
                ElementsAre(tool_call{"", "now", "{}"}));
}

}  // namespace
}  // namespace tandem::gateway
