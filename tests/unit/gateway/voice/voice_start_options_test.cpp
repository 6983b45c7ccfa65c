#include "gateway/voice/voice_message_reader.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>

// Options of a start message that have the form of OpenAI's API, or that exclude each other.
namespace tandem::gateway {
namespace {

std::string start_that_has(const std::string& options, const std::string& more = "") {
    return R"({"type":"start",)" + more + R"("options":)" + options + "}";
}

generation_options options_of_start(const std::string& options,
                                    const generation_options& base = {}) {
    const auto message = parse_voice_message(start_that_has(options));
    if (const auto* const why = std::get_if<voice_message_error>(&message)) {
        ADD_FAILURE() << options << ": " << why->message;
        return {};
    }
    const auto& start = std::get<voice::start>(std::get<voice_message>(message));
    return apply_changes(base, start.options);
}

TEST(voice_response_format, is_read_as_a_schema) {
    EXPECT_EQ(options_of_start(R"({"response_format":{"type":"json_object"}})").json_schema,
              R"({"type":"object"})");
    const auto asked = options_of_start(R"({"response_format":{"type":"json_schema",
        "json_schema":{"name":"n","schema":{"z":{"b":1,"a":2}}}}})");
    EXPECT_EQ(asked.json_schema, R"({"z":{"b":1,"a":2}})");
}

TEST(voice_response_format, replaces_the_form_of_the_session) {
    const auto object = R"({"response_format":{"type":"json_object"}})";
    const auto text = R"({"response_format":{"type":"text"}})";
    EXPECT_EQ(options_of_start(object, {.grammar = "root ::= \"a\""}).grammar, "");
    EXPECT_EQ(options_of_start(text, {.grammar = "root ::= \"a\""}).grammar, "");
    EXPECT_EQ(options_of_start(text, {.json_schema = "{}"}).json_schema, "");
    EXPECT_EQ(options_of_start(R"({"response_format":null})", {.json_schema = "{}"}).json_schema,
              "{}");
}

TEST(voice_options, are_refused_with_the_field_that_is_wrong) {
    const struct {
        const char *options, *more, *field;
    } rows[] = {
        {R"({"response_format":"json"})", "", "options.response_format"},
        {R"({"response_format":{}})", "", "options.response_format.type"},
        {R"({"response_format":{"type":"xml"}})", "", "options.response_format.type"},
        {R"({"response_format":{"type":"json_schema"}})", "",
         "options.response_format.json_schema"},
        {R"({"response_format":{"type":"json_object"},"json_schema":{}})", "",
         "options.response_format"},
        {R"({"response_format":{"type":"json_object"},"grammar":"root ::= \"a\""})", "",
         "options.response_format"},
        {R"({"language":"german"})", "", "options.language"},
        {R"({"parallel_tool_calls":true})", R"("prompt":"Once",)", "options.parallel_tool_calls"},
    };
    for (const auto& row : rows) {
        const auto message = parse_voice_message(start_that_has(row.options, row.more));
        const auto* const why = std::get_if<voice_message_error>(&message);
        ASSERT_TRUE(why) << row.options;
        EXPECT_EQ(why->code, "invalid_value") << row.options;
        EXPECT_EQ(why->param, row.field) << why->message;
    }
}

}  // namespace
}  // namespace tandem::gateway
