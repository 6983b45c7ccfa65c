#include "wire/calls/tool_call_formats.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>
#include <string>
#include <vector>

namespace tandem::wire {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using namespace std::string_literals;

const std::string weather_and_time =
    R"([{"type":"function","function":{"name":"weather","parameters":)"
    R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},)"
    R"({"type":"function","function":{"name":"now"}}])";

generation_options must_call_any(std::string tools = weather_and_time) {
    return {.tools = std::move(tools), .tool_choice = "required"};
}
generation_options call_or_answer(std::string schema = R"({"type":"object"})") {
    return {.json_schema = std::move(schema), .tools = weather_and_time};
}

TEST(read_function_names, reads_them_in_their_order_and_omits_what_has_none) {
    EXPECT_THAT(read_function_names(weather_and_time), ElementsAre("weather", "now"));
    for (const char* tools :
         {"", "{}", "[5]", "[{}]", R"([{"function":[]}])", R"([{"function":{"name":5}}])"})
        EXPECT_THAT(read_function_names(tools), IsEmpty()) << tools;
}

TEST(make_call_schema, of_a_named_function_allows_a_call_of_it_only) {
    EXPECT_EQ(json::parse(make_call_schema({.tools = weather_and_time, .tool_choice = "weather"})),
              json::parse(R"({
        "type":"object","required":["name","parameters"],"additionalProperties":false,
        "properties":{"name":{"const":"weather"},"parameters":{"$ref":"#/$defs/call0"}},
        "$defs":{"call0":
            {"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}})"));
}

TEST(make_call_schema, of_a_required_call_allows_one_of_any_function) {
    const auto schema = json::parse(make_call_schema(must_call_any()));
    ASSERT_EQ(schema["anyOf"].size(), 2u);
    EXPECT_EQ(schema["anyOf"][1]["properties"]["name"]["const"], "now");
    EXPECT_EQ(schema["$defs"]["call1"],
              json::parse(R"({"type":"object","properties":{},"additionalProperties":false})"));
}

TEST(make_call_schema, with_a_schema_allows_a_call_or_an_answer) {
    const auto schema = json::parse(
        make_call_schema(call_or_answer(R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"array"}}})")));
    ASSERT_EQ(schema["anyOf"].size(), 3u);
    EXPECT_EQ(schema["anyOf"][2], json::parse(R"({"$ref":"#/$defs/answer"})"));
    EXPECT_EQ(schema["$defs"]["answer"]["$ref"], "#/$defs/answer/$defs/a");
}

TEST(make_call_schema, keeps_the_order_of_parameters_in_which_a_model_writes_them) {
    const auto schema = make_call_schema(must_call_any(
        R"([{"function":{"name":"f","parameters":{"properties":{"why":{},"answer":{}}}}}])"));
    EXPECT_LT(schema.find("why"), schema.find("answer"));
    EXPECT_LT(schema.find(R"("name")"), schema.find(R"("parameters")"));
}

TEST(make_call_schema, rebases_references_inside_the_parameters) {
    const auto schema = make_call_schema(must_call_any(R"([{"function":{"name":"f","parameters":{
        "type":"object","properties":{"a":{"$ref":"#/$defs/a"},"b":{"type":"array","items":
        {"anyOf":[{"$ref":"#"},{"$ref":"https://example.com/x"}]}},"$ref":{"type":"null"}},
        "$defs":{"a":{"type":"string"}}}}}])"));
    const auto parameters = json::parse(schema)["$defs"]["call0"];
    EXPECT_EQ(parameters["properties"]["a"]["$ref"], "#/$defs/call0/$defs/a");
    EXPECT_EQ(parameters["properties"]["b"]["items"]["anyOf"][0]["$ref"], "#/$defs/call0");
    EXPECT_EQ(parameters["properties"]["b"]["items"]["anyOf"][1]["$ref"], "https://example.com/x");
    EXPECT_EQ(parameters["properties"]["$ref"]["type"], "null") << "a property of that name";
}

TEST(decode_json_tool_call, reads_the_call_and_its_arguments) {
    const auto call = decode_json_tool_call(
        R"( {"name":"weather","parameters":{"city":"\u00d6d","zip":1}})", must_call_any());
    ASSERT_TRUE(call);
    EXPECT_EQ(call->name, "weather");
    EXPECT_EQ(call->arguments, R"({"city":"\u00d6d","zip":1})");
    const auto turned =
        decode_json_tool_call(R"({"parameters": {}, "name": "now"})", must_call_any());
    ASSERT_TRUE(turned);
    EXPECT_EQ(turned->arguments, "{}");
}

TEST(decode_json_tool_call, finds_no_call_in_an_answer_nor_in_a_part_of_one) {
    for (const char* text : {"", "[]", R"({"name":"weather")", R"({"name":"weather"})",
                             R"({"name":"weather","parameters":"x"})",
                             R"({"name":"other","parameters":{}})", R"({"parameters":{}})"})
        EXPECT_FALSE(decode_json_tool_call(text, call_or_answer())) << text;
    EXPECT_FALSE(decode_json_tool_call(R"({"name":"now","parameters":{}})",
                                       {.tools = weather_and_time, .tool_choice = "weather"}));
}

TEST(decode_json_tool_call, refuses_deep_text_and_reads_wide_text) {
    const auto deep = std::string(1'000, '[') + std::string(1'000, ']');
    EXPECT_FALSE(decode_json_tool_call(R"({"name":"now","parameters":{"a":)" + deep + "}}",
                                       must_call_any()));
    std::string wide = R"({"name":"now","parameters":{)";
    for (int i = 0; i < 40'000; ++i) wide += "\"" + std::to_string(i) + "\":0,";
    EXPECT_TRUE(decode_json_tool_call(wide + R"("x":0}})", must_call_any()));
}

TEST(find_json_tool_calls, reads_objects_of_a_name_and_arguments) {
    for (const char* text :
         {R"(<|tool_call|>[{"name": "weather", "arguments": {"city": "Köln"}}, {"name": "now",)"
          R"( "arguments": {}}])",
          "<tool_calls>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Köln\"}}\n"
          "{\"name\": \"now\", \"arguments\": {}}\n</tool_calls>",
          R"(<|START_ACTION|>[{"tool_call_id": "0", "tool_name": "weather", "parameters":)"
          R"( {"city": "Köln"}}, {"tool_call_id": "1", "tool_name": "now", "parameters": {}}])"})
        EXPECT_THAT(find_json_tool_calls(text, {.tools = weather_and_time}),
                    ElementsAre(tool_call{.name = "weather", .arguments = R"({"city":"Köln"})"},
                                tool_call{.name = "now", .arguments = "{}"}))
            << text;
}

TEST(find_json_tool_calls, reads_names_that_are_followed_by_arguments) {
    for (
        const char* text :
        {R"([TOOL_CALLS]weather[CALL_ID]123456789[ARGS]{"city": "a \" } b"}[TOOL_CALLS]now[ARGS]{})",
         R"(<|tool_call:begin|>a1<|tool_call:name|>weather<|tool_call:args|>{"city": "a \" } b"})"
         R"(<|tool_call:end|><|tool_call:begin|>a2<|tool_call:name|>now<|tool_call:args|>{})"})
        EXPECT_THAT(find_json_tool_calls(text, {.tools = weather_and_time}),
                    ElementsAre(tool_call{.name = "weather", .arguments = R"({"city":"a \" } b"})"},
                                tool_call{.name = "now", .arguments = "{}"}))
            << text;
}

TEST(find_json_tool_calls, finds_none_in_parts_of_calls_nor_in_other_text) {
    for (const char* text :
         {"", "[CALL]", "[CALL]weather[ARGS]", R"([CALL]weather[ARGS]{"city": "Bo)",
          R"([CALL]now[ARGS]{}[CALL]weather[ARGS]{"city)", R"([CALL]weather[ARGS]{"town": "Bonn"})",
          R"([CALL]weather[ARGS]{"city": "Bonn", "day": 1})", "[CALL]weather[ARGS]{}",
          R"([CALL]weathers[ARGS]{"city": "Bonn"})", R"([{"name": "rain", "arguments": {}}])",
          R"([{"name": "now", "arguments": "{}"}])", "[CALL]now{zone:<|\"|>UTC<|\"|>}",
          R"(<function=weather><parameter=city>{"name": "Bonn"}</parameter></function>)"})
        EXPECT_THAT(find_json_tool_calls(text, {.tools = weather_and_time}), IsEmpty()) << text;
}

TEST(find_json_tool_calls, refuses_deep_text_and_too_many_calls) {
    const std::string deep(5'000, '{');
    EXPECT_THAT(find_json_tool_calls("now" + deep, {.tools = weather_and_time}), IsEmpty());
    std::string many;
    for (int i = 0; i < 129; ++i) many += "now{}";
    EXPECT_THAT(find_json_tool_calls(many, {.tools = weather_and_time}), IsEmpty());
    EXPECT_THAT(find_json_tool_calls(many.substr(5), {.tools = weather_and_time}), SizeIs(128));
}

const std::string tables =
    R"([{"function":{"name":"book","parameters":{"type":"object","properties":{"name":{"type":"string"},)"
    R"("persons":{"type":"integer"},"day":{"type":["string","null"]}},"required":["name"]}}},)"
    R"({"function":{"name":"now"}}])";

TEST(find_invoke_element_calls, reads_elements_with_arguments_of_the_types_of_the_tools) {
    for (const char* text :
         {"<minimax:tool_call>\n<invoke name=\"book\">\n<parameter name=\"name\">12</parameter>\n"
          "<parameter name=\"persons\">2</parameter>\n</invoke>\n<invoke name=\"now\">\n</invoke>\n"
          "</minimax:tool_call>",
          " to=book<|message|><atem:function_calls>\n<atem:invoke name=\"book\">\n"
          "<atem:parameter name=\"name\">12</atem:parameter>\n"
          "<atem:parameter name=\"persons\">2</atem:parameter>\n</atem:invoke>"
          "</atem:function_calls><|eom|><atem:invoke name=\"now\"></atem:invoke>"})
        EXPECT_THAT(
            find_invoke_element_calls(text, {.tools = tables}),
            ElementsAre(tool_call{.name = "book", .arguments = R"({"name":"12","persons":2})"},
                        tool_call{.name = "now", .arguments = "{}"}))
            << text;
}

std::string invoke_book(const std::string& parameters) {
    return "<invoke name=\"book\">" + parameters + "</invoke>";
}

TEST(find_invoke_element_calls, keeps_text_as_it_is_written) {
    EXPECT_THAT(find_invoke_element_calls(
                    invoke_book("<parameter name=\"name\">\"A\" </invoke>\n</parameter>"
                                "<parameter name=\"persons\">a few</parameter>"
                                "<parameter name=\"day\">1</parameter>"),
                    {.tools = tables}),
                ElementsAre(tool_call{
                    .name = "book",
                    .arguments = R"({"day":"1","name":"\"A\" </invoke>\n","persons":"a few"})"}));
}

TEST(find_invoke_element_calls, finds_none_in_parts_of_calls_nor_in_other_text) {
    const std::string name = "<parameter name=\"name\">Ann</parameter>";
    const auto whole = invoke_book(name);
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_THAT(find_invoke_element_calls(whole.substr(0, size), {.tools = tables}), IsEmpty())
            << size;
    for (const auto& text :
         {invoke_book(""), invoke_book(name + "<parameter name=\"town\">Bonn</parameter>"),
          invoke_book(name + "and"), "invoke name=\"now\"></invoke>" + whole,
          whole + "<invoke name=\"rain\"></invoke>", whole + "<invoke name=\"book\">",
          "<" + std::string(40, 'x') + "invoke name=\"now\"></invoke>"})
        EXPECT_THAT(find_invoke_element_calls(text, {.tools = tables}), IsEmpty()) << text;
    EXPECT_THAT(find_invoke_element_calls(whole, {.tools = "no list"}), IsEmpty());
}

TEST(find_invoke_element_calls, reads_a_text_as_such_if_the_schema_allows_one) {
    for (const char* schema :
         {R"({"anyOf":[{"type":"string"},{"type":"null"}]})", R"({"enum":["1","2"]})",
          R"({"const":"1"})", R"({"oneOf":[{"enum":["1"]}]})"}) {
        const auto tools = R"([{"function":{"name":"f","parameters":{"properties":{"x":)" +
                           std::string(schema) + "}}}}]";
        const auto calls = find_invoke_element_calls(
            R"(<invoke name="f"><parameter name="x">1</parameter></invoke>)", {.tools = tools});
        ASSERT_THAT(calls, SizeIs(1)) << schema;
        EXPECT_EQ(calls[0].arguments, R"({"x":"1"})") << schema;
    }
}

TEST(find_invoke_element_calls, reads_no_call_that_the_choice_excludes) {
    const std::string now = R"(<invoke name="now"></invoke>)";
    EXPECT_THAT(find_invoke_element_calls(now, {.tools = tables, .tool_choice = "now"}), SizeIs(1));
    EXPECT_THAT(find_invoke_element_calls(now, {.tools = tables, .tool_choice = "book"}),
                IsEmpty());
    EXPECT_THAT(
        find_json_tool_calls("now{}", {.tools = weather_and_time, .tool_choice = "weather"}),
        IsEmpty());
}

TEST(correct_parsed_calls, prefers_elements_if_the_server_read_only_some_of_them) {
    const std::string book = invoke_book(R"(<parameter name="name">Ann</parameter>)");
    const tool_call read{.id = "1", .name = "book", .arguments = R"({"name": "Ann"})"};
    const auto calls =
        correct_parsed_calls({read}, book + R"(<invoke name="now"></invoke>)", {.tools = tables});
    ASSERT_THAT(calls, SizeIs(2));
    EXPECT_EQ(calls[1].name, "now");
}

TEST(correct_parsed_calls, ignores_elements_in_the_arguments_of_a_call) {
    const std::string now = R"(<invoke name="now"></invoke>)";
    const tool_call read{.id = "1", .name = "book", .arguments = R"({"name":"Ann"})"};
    EXPECT_THAT(correct_parsed_calls({read}, "<function=book>" + now + now, {.tools = tables}),
                ElementsAre(read));
}

double cpu_seconds_to_correct(const std::vector<tool_call>& parsed, int elements) {
    std::string text;
    for (int i = 0; i < elements; ++i) text += R"(<invoke name="now"></invoke>)";
    const auto begin = std::clock();
    EXPECT_EQ(correct_parsed_calls(parsed, text, {.tools = tables}), parsed);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(correct_parsed_calls, reads_long_arguments_once_for_all_elements) {
    const auto arguments = R"({"zone":")" + std::string(2'000'000, 'x') + "\"}";
    const std::vector<tool_call> parsed{{.id = "1", .name = "now", .arguments = arguments}};
    const auto few = cpu_seconds_to_correct(parsed, 2);
    EXPECT_LT(cpu_seconds_to_correct(parsed, 128), 10 * few);
}

TEST(correct_parsed_calls, compares_arguments_regardless_of_their_form) {
    const auto text = invoke_book(R"(<parameter name="name">Ann</parameter>)"
                                  R"(<parameter name="persons">2</parameter>)");
    for (const char* arguments :
         {R"({"persons": 2, "name": "Ann"})", R"({"name":"\u0041nn","persons":2})"})
        EXPECT_THAT(correct_parsed_calls({{.name = "book", .arguments = arguments}}, text + text,
                                         {.tools = tables}),
                    SizeIs(2))
            << arguments;
    const auto deep = std::string(1'000'000, '[') + std::string(1'000'000, ']');
    for (const std::string& arguments :
         {std::string(), std::string("Ann"), R"({"name":)" + deep + "}",
          R"({"name":"Bo","persons":2})"s})
        EXPECT_THAT(correct_parsed_calls({{.name = "book", .arguments = arguments}}, text + text,
                                         {.tools = tables}),
                    SizeIs(1));
}

TEST(correct_parsed_calls, reads_json_that_the_server_does_not_parse) {
    EXPECT_THAT(correct_parsed_calls({}, "now{}", {.tools = weather_and_time}), SizeIs(1));
}

TEST(find_invoke_element_calls, refuses_too_many_calls) {
    std::string many;
    for (int i = 0; i < 128; ++i) many += "<invoke name=\"now\"></invoke>";
    EXPECT_THAT(find_invoke_element_calls(many, {.tools = tables}), SizeIs(128));
    EXPECT_THAT(find_invoke_element_calls(many + many, {.tools = tables}), IsEmpty());
}

TEST(decode_gpt_oss_call, reads_the_call_in_the_reasoning_of_gpt_oss) {
    const std::string thoughts = "The user asks for the time.";
    for (const char* header :
         {"<|channel|>commentary to=functions.now <|constrain|>json<|message|>",
          "<|start|>assistant<|channel|>commentary to=functions.now<|channel|>commentary"
          "<|constrain|>json<|message|>",
          " to=functions.now<|message|>"}) {
        const auto text = thoughts + header + R"({"zone": "UTC"})";
        const auto call = decode_gpt_oss_call(text);
        ASSERT_TRUE(call) << text;
        EXPECT_EQ(call->name, "now");
        EXPECT_EQ(call->arguments, R"({"zone":"UTC"})");
        EXPECT_EQ(find_gpt_oss_call(text), thoughts.size()) << text;
    }
}

TEST(decode_gpt_oss_call, keeps_arguments_of_very_many_keys_as_written) {
    std::string wide = "{";
    for (int i = 0; i < 49'000; ++i) wide += "\"" + std::to_string(i) + "\": 0, ";
    wide += R"("x": 0})";
    const auto call = decode_gpt_oss_call("to=functions.now<|message|>" + wide);
    ASSERT_TRUE(call);
    EXPECT_TRUE(call->arguments == wide) << "Sorting or compacting them takes quadratic time";
}

TEST(decode_gpt_oss_call, finds_none_in_other_reasoning_nor_in_half_a_call) {
    EXPECT_EQ(find_gpt_oss_call("I could call to functions."), std::string::npos);
    for (const char* text :
         {"", "to=functions.", "to=functions.now", "to=functions.now<|message|>",
          R"(to=functions.now<|message|>{"zone": "U)", "to=functions.<|message|>{}"})
        EXPECT_FALSE(decode_gpt_oss_call(text)) << text;
}

}  // namespace
}  // namespace tandem::wire
