#include "answers/tool_call_text.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

// The content, followed by each call in brackets.
std::string read_calls(std::string_view text) {
    const auto parsed = parse_tool_calls(text, {"now", "rain"});
    if (!parsed) return "not understood";
    std::string all = parsed->content;
    for (const auto& call : parsed->calls) all += "[" + call.name + " " + call.arguments + "]";
    return all;
}

const std::string now_text = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";
const std::string rain_start = "<tool_call>\n{\"name\": \"rain\"";
const std::string rain_text = rain_start + ", \"arguments\": {\"in\": \"Bonn\"}}\n</tool_call>";

TEST(tool_call_text, is_content_up_to_the_first_call) {
    EXPECT_EQ(read_calls("One moment.\n" + now_text), "One moment.\n[now {}]");
    EXPECT_EQ(read_calls(rain_text + "\n" + now_text), R"([rain {"in": "Bonn"}][now {}])");
    EXPECT_EQ(read_calls(now_text + now_text), "[now {}][now {}]");
}

TEST(tool_call_text, is_content_alone_without_calls) {
    for (const auto* text :
         {"", "No.", "No. ", "<tool_calls>", "</tool_call>", "<tool_call>nonsense</tool_call>"})
        EXPECT_EQ(read_calls(text), text);
}

TEST(tool_call_text, has_no_white_space_at_the_start) {
    EXPECT_EQ(read_calls(" \n No. "), "No. ");
    EXPECT_EQ(read_calls("\n" + now_text), "[now {}]");
    EXPECT_EQ(read_calls("  "), "");
}

TEST(tool_call_text, has_what_there_is_of_half_a_call) {
    EXPECT_EQ(read_calls(rain_start), "[rain {]");
    EXPECT_EQ(read_calls(rain_start + ", \"argu"), "[rain {]");
    EXPECT_EQ(read_calls(rain_start + ", \"arguments\": {\"in\": \"Bo"), R"([rain {"in": "Bo])");
    for (const auto* end : {"", "}", "}\n", "}\n</tool_ca"})
        EXPECT_EQ(read_calls(rain_start + ", \"arguments\": {\"in\": \"Bonn\"}" + end),
                  R"([rain {"in": "Bonn"}])")
            << end;
}

TEST(tool_call_text, omits_a_call_without_its_whole_name) {
    for (std::size_t n = 1; n < rain_start.size(); ++n)
        EXPECT_EQ(read_calls("Yes. " + rain_start.substr(0, n)), "Yes. ") << n;
}

TEST(tool_call_text, is_not_understood_with_anything_else) {
    for (const auto& text :
         {now_text + " No.", now_text + "<tool_call>\n[]",
          std::string("<tool_call>\n{\"name\": \"snow\", \"arguments\": {}}\n</tool_call>"),
          std::string("<tool_call>\n{\"arguments\": {}, \"name\": \"now\"}\n</tool_call>"),
          std::string("<tool_call>\n{\"name\": \"now\", \"arguments\": {]}\n</tool_call>")})
        EXPECT_EQ(read_calls(text), "not understood") << text;
}

TEST(tool_call_text, ids_differ) {
    EXPECT_NE(make_call_id(), make_call_id());
    EXPECT_EQ(make_call_id().size(), 32u);
}

}  // namespace
}  // namespace tandem::mock
