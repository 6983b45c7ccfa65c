#include "read_requests.hpp"

#include <gmock/gmock.h>

namespace tandem::gateway {
namespace {

using ::testing::StartsWith;

const std::string two_tools =
    R"("tools":[{"type":"function","function":{"name":"weather","description":"d","parameters":)"
    R"({"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},)"
    R"({"type":"function","function":{"name":"now"}}])";

TEST(response_format, of_text_constrains_nothing) {
    EXPECT_EQ(chat_with(R"("response_format":{"type":"text"})").options.json_schema, "");
    EXPECT_EQ(chat_with(R"("response_format":null)").options.json_schema, "");
}

TEST(response_format, becomes_a_schema_whose_members_keep_their_order) {
    const struct {
        const char *format, *schema;
    } rows[] = {
        {R"({"type":"json_object"})", R"({"type":"object"})"},
        {R"({"type":"json_object","schema":{"type":"array"}})", R"({"type":"array"})"},
        {R"({"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":
            {"type":"object","properties":{"why":{"type":"string"},"answer":{"type":"string"}}}}})",
         R"({"type":"object","properties":{"why":{"type":"string"},"answer":{"type":"string"}}})"},
        {R"({"type":"json_schema","json_schema":{"name":"n"}})", R"({"type":"object"})"},
        {R"({"type":"json_schema","json_schema":{"name":"n","schema":{}}})",
         R"({"type":"object"})"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(chat_with(std::string(R"("response_format":)") + row.format).options.json_schema,
                  row.schema)
            << row.format;
}

TEST(response_format, replaces_the_grammar_of_the_configuration) {
    request_defaults defaults;
    defaults.generation.grammar = R"(root ::= "x")";
    EXPECT_EQ(chat_with(R"("n":1)", defaults).options.grammar, defaults.generation.grammar);
    const auto o = chat_with(R"("response_format":{"type":"json_object"})", defaults).options;
    EXPECT_EQ(o.grammar, "");
    EXPECT_EQ(o.json_schema, R"({"type":"object"})");
}

TEST(response_format, is_refused_with_the_path_of_what_is_wrong) {
    const struct {
        const char *format, *param;
    } rows[] = {
        {"5", "response_format"},
        {"{}", "response_format.type"},
        {R"({"type":"xml"})", "response_format.type"},
        {R"({"type":"json_schema"})", "response_format.json_schema"},
        {R"({"type":"json_schema","json_schema":[]})", "response_format.json_schema"},
        {R"({"type":"json_schema","json_schema":{"schema":"x"}})",
         "response_format.json_schema.schema"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(refusal_with(std::string(R"("response_format":)") + row.format).param, row.param)
            << row.format;
}

TEST(response_format, has_the_bound_of_the_library) {
    const std::string large(70'000, 'x');
    const auto e = refusal_with(R"("response_format":{"type":"json_object","schema":{"title":")" +
                                large + R"("}})");
    EXPECT_EQ(e.param, "response_format");
}

TEST(tools, go_to_the_template_as_they_are) {
    const auto r = chat_with(two_tools);
    EXPECT_EQ("\"tools\":" + r.options.tools, two_tools);
    EXPECT_EQ(r.options.tool_choice, "");
    EXPECT_FALSE(
        chat_with(two_tools + R"(,"parallel_tool_calls":false)").options.parallel_tool_calls);
}

TEST(tools, go_to_the_template_without_null_fields) {
    const auto r = chat_with(
        R"("tools":[{"type":"function","x":null,"function":{"name":"now","description":null}}])");
    EXPECT_EQ(r.options.tools, R"([{"type":"function","function":{"name":"now"}}])");
}

TEST(tools, may_be_none) {
    for (const char* members : {R"("tools":[])", R"("tools":null)",
                                R"("tools":[],"tool_choice":"auto")", R"("tool_choice":"none")"}) {
        EXPECT_EQ(chat_with(members).options.tools, "") << members;
    }
}

TEST(tools, are_refused_with_the_path_of_what_is_wrong) {
    const struct {
        const char *members, *param;
    } rows[] = {
        {R"("tools":{})", "tools"},
        {R"("tools":[5])", "tools[0]"},
        {R"("tools":[{"type":"custom"}])", "tools[0].type"},
        {R"("tools":[{"type":"function"}])", "tools[0].function"},
        {R"("tools":[{"function":[]}])", "tools[0].function"},
        {R"("tools":[{"function":{}}])", "tools[0].function.name"},
        {R"("tools":[{"function":{"name":""}}])", "tools[0].function.name"},
        {R"("tools":[{"function":{"name":"f","parameters":"x"}}])", "tools[0].function.parameters"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(refusal_with(row.members).param, row.param) << row.members;
}

TEST(tools, have_bounds) {
    const auto many = [](std::size_t n) {
        std::string list = R"({"function":{"name":"f"}})";
        for (std::size_t i = 1; i < n; ++i) list += R"(,{"function":{"name":"f"}})";
        return R"("tools":[)" + list + "]";
    };
    EXPECT_NE(chat_with(many(1024)).options.tools, "");
    EXPECT_EQ(refusal_with(many(1025)).message, "tools has 1025 items; the maximum is 1024");
    const std::string large(70'000, 'x');
    EXPECT_THAT(refusal_with(R"("tools":[{"function":{"name":")" + large + R"("}}])").message,
                StartsWith("tools has 70"));
}

TEST(tools, are_only_those_of_the_request) {
    request_defaults defaults;
    defaults.generation.tools = R"([{"function":{"name":"f"}}])";
    defaults.generation.tool_choice = "f";
    defaults.generation.parallel_tool_calls = false;
    const auto o = chat_with(R"("n":1)", defaults).options;
    EXPECT_EQ(o.tools + o.tool_choice, "");
    EXPECT_TRUE(o.parallel_tool_calls);
}

TEST(tool_choice, is_a_word_or_names_a_function) {
    const auto choice = [](const std::string& value) {
        return chat_with(two_tools + R"(,"tool_choice":)" + value).options.tool_choice;
    };
    for (const char* word : {"auto", "none", "required"})
        EXPECT_EQ(choice('"' + std::string(word) + '"'), word);
    EXPECT_EQ(choice(R"({"type":"function","function":{"name":"weather"}})"), "weather");
}

TEST(tool_choice, is_refused_if_it_cannot_be_done) {
    const struct {
        std::string members, param;
    } rows[] = {
        {R"("tool_choice":"required")", "tool_choice"},
        {R"("tools":[],"tool_choice":"required")", "tool_choice"},
        {R"("tool_choice":{"type":"function","function":{"name":"f"}})", "tool_choice"},
        {two_tools + R"(,"tool_choice":"always")", "tool_choice"},
        {two_tools + R"(,"tool_choice":{"function":{"name":"none"}})", "tool_choice.function.name"},
        {two_tools + R"(,"tool_choice":5)", "tool_choice"},
        {two_tools + R"(,"tool_choice":{"type":"allowed_tools"})", "tool_choice.type"},
        {two_tools + R"(,"tool_choice":{"type":"function"})", "tool_choice.function"},
        {two_tools + R"(,"tool_choice":{"function":{}})", "tool_choice.function.name"},
        {two_tools + R"(,"tool_choice":{"type":"function","function":{"name":"f"}})",
         "tool_choice.function.name"},
    };
    for (const auto& row : rows)
        EXPECT_EQ(refusal_with(row.members).param, row.param) << row.members;
}

TEST(tool_choice, is_refused_as_a_bare_name_with_what_to_write_instead) {
    EXPECT_EQ(refusal_with(two_tools + R"(,"tool_choice":"weather")").message,
              R"(tool_choice is "weather"; it must be auto, none, required or, for a function, )"
              R"({"type":"function","function":{"name":"weather"}})");
}

TEST(request_constraints, are_a_grammar_or_a_schema_as_llama_server_has_them) {
    EXPECT_EQ(chat_with(R"("grammar":"root ::= \"a\"")").options.grammar, R"(root ::= "a")");
    EXPECT_EQ(chat_with(R"("json_schema":{"type":"array"})").options.json_schema,
              R"({"type":"array"})");
    EXPECT_EQ(chat_with(R"("grammar":"","json_schema":null)").options.grammar, "");
}

TEST(request_constraints, of_the_request_replace_those_of_the_configuration) {
    request_defaults defaults;
    defaults.generation.json_schema = "{}";
    const auto r = chat_with(R"("grammar":"root ::= \"a\"")", defaults);
    EXPECT_EQ(r.options.json_schema, "");
    EXPECT_EQ(r.options.grammar, R"(root ::= "a")");
}

TEST(request_constraints, are_refused_if_they_contradict_each_other) {
    const auto grammar = [](const std::string& more) {
        return refusal_with(R"("grammar":"root ::= \"a\"",)" + more).param;
    };
    EXPECT_EQ(grammar(R"("json_schema":{"type":"array"})"), "grammar");
    EXPECT_EQ(grammar(R"("response_format":{"type":"json_object"})"), "grammar");
    EXPECT_EQ(refusal_with(R"("json_schema":{},"response_format":{"type":"json_object"})").param,
              "json_schema");
    EXPECT_EQ(refusal_with(R"("json_schema":"{}")").param, "json_schema");
    EXPECT_EQ(refusal_with(R"("json_schema":{"a":")" + std::string(70'000, 'x') + R"("})").param,
              "json_schema");
}

}  // namespace
}  // namespace tandem::gateway
